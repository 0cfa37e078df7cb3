// SPDX-License-Identifier: MIT
// Closures, objects, strings, errors, recursion, regular expressions, sorting, JSON.

function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

function counter(start) {
    var n = start;
    return function (by) { n += by; return n; };
}

function Account(balance) { this.balance = balance; }
Account.prototype.take = function (amount) {
    if (amount > this.balance) throw new Error("short by " + (amount - this.balance));
    this.balance -= amount;
    return this.balance;
};

function words(text) {
    var seen = {}, list = [];
    text.replace(/[a-z]+/gi, function (word) {
        word = word.toLowerCase();
        seen[word] = (seen[word] || 0) + 1;
        return word;
    });
    for (var word in seen) list.push(word + "=" + seen[word]);
    return list.sort().join(",");
}

function primes(limit) {
    var sieve = [], sum = 0;
    for (var i = 2; i < limit; i++) {
        if (sieve[i]) continue;
        for (var j = i * i; j < limit; j += i) sieve[j] = true;
        sum += i;
    }
    return sum;
}

function permute(list, n, visit) {
    if (n === 0) return visit(list);
    for (var i = 0; i < n; i++) {
        var kept = list[i];
        list[i] = list[n - 1]; list[n - 1] = kept;
        permute(list, n - 1, visit);
        kept = list[i];
        list[i] = list[n - 1]; list[n - 1] = kept;
    }
}

// Each error is caught in a function that then returns: follow.c does not see that a frame which
// goes on has no use for its setjmp any more.
function attempt(depth) {
    try { return dig(depth); } catch (problem) { return problem.message; }
}

function dig(depth) {
    if (depth === 0) throw new Error("bottom");
    if (depth % 3 === 0) throw new Error(attempt(depth - 1) + "^" + depth);
    return dig(depth - 1) + 1;
}

function choose(n) {
    switch (n % 9) {
    case 0: return "zero";
    case 1: return n * 1.5;
    case 2: return -n;
    case 3: return n | 64;
    case 4: return n >> 1;
    case 5: return n % 3 === 0;
    case 6: return [n, n + 1].length;
    case 7: return typeof n;
    default: return ~n;
    }
}

var text = "The quick brown fox jumps over the lazy dog while the other dogs look on; " +
    "a fox is quick, a dog is not, and the brown one jumps over everything it finds.";

function round(n) {
    var out = [], i, count = 0;
    out.push("fib " + fib(7 + n % 3));
    var c = counter(n);
    for (i = 0; i < 30; i++) c(i);
    out.push("counter " + c(0));
    var account = new Account(100 + n);
    for (i = 1; i <= 14; i++) {
        try { account.take(i * 2); } catch (problem) { out.push(problem.message); }
    }
    out.push(words(text.substring(n % 10)));
    out.push("primes " + primes(120));
    permute([1, 2, 3], 3, function (list) { count += list[0]; });
    out.push("permutations " + count);
    out.push(String(attempt(7 + n % 5)));
    var seed = n, numbers = [];
    for (i = 0; i < 30; i++) {
        seed = (seed * 1103 + 12345) % 65536;
        numbers.push(seed);
    }
    numbers.sort(function (a, b) { return b - a; });
    out.push(numbers.slice(0, 8).join(" "));
    for (i = 0; i < 27; i++) out.push(String(choose(n + i)));
    out.push(Math.sqrt(n).toFixed(4) + " " + (n * 0.37).toString());
    out.push(JSON.stringify(JSON.parse('{"list": [1, 2.5, "three", null], "n": ' + n + "}")));
    out.push(text.split(" ").reverse().join(" ").toUpperCase().charAt(n % 50));
    return out.join("\n");
}
