# Spaces that JavaScript does not need go, outside of strings; a line with other quotes than double ones, or with regular
# expressions that hold blanks or quotes, stays as it is.
BEGIN { FS = OFS = "\"" }
/[`\\']|\/[^ ]*[^ <] [^\/]*\/[gimu]*[,.)]/ || NF % 2 == 0 { print; next }
{
	for (i = 1; i <= NF; i += 2)
		while (match($i, / (=>|[-+*%<>=!&|?:\/]+|[{}]) | [{}]$|[,;{(] [^ ]|[)\]] \{/)) {
			part = substr($i, RSTART, RLENGTH)
			gsub(/ /, "", part)
			$i = substr($i, 1, RSTART - 1) part substr($i, RSTART + RLENGTH)
		}
	print
}
