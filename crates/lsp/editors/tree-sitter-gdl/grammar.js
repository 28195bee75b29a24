/// The Game Description Language in KIF syntax, for colours and structure.

module.exports = grammar({
  name: "gdl",

  extras: ($) => [/\s/, $.comment],

  word: ($) => $.name,

  rules: {
    source_file: ($) => repeat($._expression),

    _expression: ($) => choice($.rule, $.list, $.variable, $.number, $.name),

    // The arrow makes a list a rule.
    rule: ($) => seq("(", "<=", optional(seq(field("head", $._expression), repeat(field("condition", $._expression)))), ")"),

    list: ($) => seq("(", optional(seq(field("name", $._expression), repeat(field("argument", $._expression)))), ")"),

    variable: (_) => /\?[^\s();]*/,

    // Before names: of two tokens of one length the first is taken, and `8_1` is one name.
    number: (_) => /-?[0-9]+/,

    name: (_) => /[^\s();?][^\s();]*/,

    comment: (_) => token(seq(";", /[^\r\n]*/)),
  },
});
