-- SPDX-License-Identifier: MIT
-- Closures, tables, strings, errors, coroutines, recursion, metatables, sorting.

local function fib(n)
    if n < 2 then return n end
    return fib(n - 1) + fib(n - 2)
end

local function counter(start)
    local n = start
    return function(by)
        n = n + by
        return n
    end
end

local Account = {}
Account.__index = Account
Account.__add = function(a, b) return Account.new(a.balance + b.balance) end
function Account.new(balance) return setmetatable({balance = balance}, Account) end
function Account:take(amount)
    if amount > self.balance then
        error({short = amount - self.balance})
    end
    self.balance = self.balance - amount
    return self.balance
end

local function words(text)
    local seen = {}
    for word in text:gmatch("%a+") do
        word = word:lower()
        seen[word] = (seen[word] or 0) + 1
    end
    local list = {}
    for word, count in pairs(seen) do
        list[#list + 1] = string.format("%s=%d", word, count)
    end
    table.sort(list)
    return table.concat(list, ",")
end

local function primes(limit)
    return coroutine.wrap(function()
        local sieve = {}
        for i = 2, limit do
            if not sieve[i] then
                for j = i * i, limit, i do sieve[j] = true end
                coroutine.yield(i)
            end
        end
    end)
end

local function permute(list, n, visit)
    if n == 0 then
        visit(list)
        return
    end
    for i = 1, n do
        list[i], list[n] = list[n], list[i]
        permute(list, n - 1, visit)
        list[i], list[n] = list[n], list[i]
    end
end

local function permutations(list)
    return coroutine.wrap(function() permute(list, #list, coroutine.yield) end)
end

-- Errors from different depths, each caught by the nearest of some nested pcall.
local function dig(depth)
    if depth == 0 then error("bottom") end
    if depth % 3 == 0 then
        local ok, message = pcall(dig, depth - 1)
        if not ok then error(tostring(message) .. "^" .. depth, 0) end
    end
    return dig(depth - 1) + 1
end

local text = [[The quick brown fox jumps over the lazy dog while the other dogs look on;
a fox is quick, a dog is not, and the brown one jumps over everything it finds.]]

local function numbers(seed)
    local list = {}
    for i = 1, 60 do
        seed = (seed * 1103515 + 12345) % 65536
        list[i] = seed
    end
    table.sort(list, function(a, b) return a > b end)
    return list
end

function round(n)
    local out = {}
    local function put(...) out[#out + 1] = table.concat({...}, " ") end
    put("fib", fib(10 + n % 4))
    local c = counter(n)
    for i = 1, 50 do c(i) end
    put("counter", c(0))
    local account = Account.new(100) + Account.new(n)
    for i = 1, 20 do
        local ok, problem = pcall(account.take, account, i * 2)
        if not ok then put("short", problem.short) end
    end
    put(words(text:sub(n % 10 + 1)))
    local sum = 0
    for p in primes(200) do sum = sum + p end
    put("primes", sum)
    local count = 0
    for list in permutations({1, 2, 3, 4}) do count = count + list[1] end
    put("permutations", count)
    put(select(2, pcall(dig, 10 + n % 5)))
    put(table.concat(numbers(n), ",", 1, 10))
    put(string.format("%.4g %5.2f %x %q", math.sqrt(n), math.sin(n) * 100, n * 999, "q" .. n))
    put((text:gsub("(%w+) (%w+)", "%2 %1"):rep(2)))
    local r = {pcall(string.rep, "x", -1)}
    put(tostring(r[1]), (text:reverse():find("xof", 1, true)))
    put(tostring(load("return " .. n .. " * 2 + 1")()))
    return table.concat(out, "\n")
end
