/* SPDX-License-Identifier: MIT */
/* Evaluates expressions with a tree of virtual nodes, templates of containers, and
 * exceptions that pass through several functions with destructors. */
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "real.h"

extern "C" uint32_t classes(unsigned rounds);

namespace {

using Names = std::map<std::string, int>;

struct Unknown : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class Node {
public:
    virtual ~Node() = default;
    virtual int value(const Names &names) const = 0;
    virtual std::string text() const = 0;
};

using Tree = std::unique_ptr<Node>;

class Number : public Node {
public:
    explicit Number(int number) : number_(number) {}
    int value(const Names &) const override { return number_; }
    std::string text() const override { return std::to_string(number_); }

private:
    int number_;
};

class Name : public Node {
public:
    explicit Name(std::string name) : name_(std::move(name)) {}
    int value(const Names &names) const override
    {
        auto found = names.find(name_);

        if (found == names.end()) {
            throw Unknown(name_);
        }
        return found->second;
    }
    std::string text() const override { return name_; }

private:
    std::string name_;
};

int divide(int a, int b)
{
    if (b == 0) {
        throw std::domain_error("division by zero");
    }
    return a / b;
}

template <typename Operation> class Pair : public Node {
public:
    Pair(Tree left, Tree right) : left_(std::move(left)), right_(std::move(right)) {}
    int value(const Names &names) const override
    {
        return Operation()(left_->value(names), right_->value(names));
    }
    std::string text() const override
    {
        return "(" + left_->text() + Operation::sign() + right_->text() + ")";
    }

private:
    Tree left_, right_;
};

struct Add {
    int operator()(int a, int b) const { return a + b; }
    static const char *sign() { return "+"; }
};
struct Multiply {
    int operator()(int a, int b) const { return a * b % 10007; }
    static const char *sign() { return "*"; }
};
struct Divide {
    int operator()(int a, int b) const { return divide(a, b); }
    static const char *sign() { return "/"; }
};

Tree grow(unsigned depth)
{
    uint32_t kind = next_random() % 8;

    if (depth == 0 || kind == 0) {
        if (next_random() % 3 == 0) {
            return std::make_unique<Name>(std::string(1, char('a' + next_random() % 5)));
        }
        return std::make_unique<Number>(int(next_random() % 20));
    }
    Tree left = grow(depth - 1), right = grow(depth - 1);
    if (kind < 4) {
        return std::make_unique<Pair<Add>>(std::move(left), std::move(right));
    }
    if (kind < 6) {
        return std::make_unique<Pair<Multiply>>(std::move(left), std::move(right));
    }
    return std::make_unique<Pair<Divide>>(std::move(left), std::move(right));
}

/* Returns the value; defines names one after the other when they are missing. */
int evaluate(const Node &tree, Names &names)
{
    for (;;) {
        try {
            return tree.value(names);
        } catch (const Unknown &unknown) {
            names[unknown.what()] = int(names.size()) + 2;
        }
    }
}

int guarded(const Node &tree)
{
    Names names;

    try {
        return evaluate(tree, names);
    } catch (const std::exception &problem) {
        return -int(std::string(problem.what()).size());
    }
}

template <typename Item> void sort_by(std::vector<Item> &items, std::function<int(Item)> key)
{
    std::sort(items.begin(), items.end(),
              [&](const Item &a, const Item &b) { return key(a) < key(b); });
}

} // namespace

uint32_t classes(unsigned rounds)
{
    uint32_t sum = 0;

    for (unsigned i = 0; i < rounds; i++) {
        std::vector<int> values;

        for (unsigned t = 0; t < 10; t++) {
            Tree tree = grow(2 + t % 4);
            std::string text = tree->text();

            sum = checksum(sum, text.data(), text.size());
            values.push_back(guarded(*tree));
        }
        sort_by<int>(values, [&](int value) { return value % 100 * int(i + 1); });
        for (int value : values) {
            sum = checksum(sum, &value, sizeof value);
        }
    }
    return sum;
}
