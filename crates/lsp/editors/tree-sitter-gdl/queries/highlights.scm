(comment) @comment

(variable) @variable

(number) @constant.numeric

(rule "<=" @keyword.operator)

(list name: (name) @function)

((list name: (name) @keyword.operator)
  (#match? @keyword.operator "^([nN][oO][tT]|[oO][rR]|[aA][nN][dD]|[dD][iI][sS][tT][iI][nN][cC][tT])$"))

((list name: (name) @keyword)
  (#match? @keyword "^([rR][oO][lL][eE]|[iI][nN][iI][tT]|[tT][rR][uU][eE]|[nN][eE][xX][tT]|[lL][eE][gG][aA][lL]|[dD][oO][eE][sS]|[gG][oO][aA][lL]|[bB][aA][sS][eE]|[iI][nN][pP][uU][tT]|[sS][eE][eE][sS])$"))

((name) @keyword
  (#match? @keyword "^[tT][eE][rR][mM][iI][nN][aA][lL]$"))

(list argument: (name) @constant)

["(" ")"] @punctuation.bracket
