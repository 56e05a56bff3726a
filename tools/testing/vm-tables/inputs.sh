# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# What Debian's programs work on in the guest: made in /tmp. To be sourced.
cat > /tmp/script.sh <<'END'
f() { local i=0; while [ $i -lt 50 ]; do i=$((i + 1)); s="${s#?}x$i"; done; }
n=0
while [ $n -lt $1 ]; do n=$((n + 1)); s=; f; a[n]=${s//x/y}; done
END
awk 'BEGIN { srand(1); for (i = 0; i < 60000; i++) print int(rand() * 1e9), "a line of text", i }' > /tmp/text
mkdir /tmp/repo && cp /in/* /tmp/repo && awk '{ print > ("/tmp/repo/part" int(NR / 300)) }' /tmp/text
(cd /tmp/repo && git init -q . && git config user.email a@b.c && git config user.name a) > /dev/null 2>&1
echo 'create table t(a integer, b text); with recursive c(x) as (select 1 union all select x+1 from c where x<20000) insert into t select x*7919%10007, "text "||x from c; select b, count(*) from t group by a order by b limit 3; select sum(x.a) from t x join t y on x.a=y.a where x.b like "%9%";' > /tmp/work.sql

awk 'BEGIN { for (i = 0; i < 40; i++) printf "int f%d(int *p, int n)\n{\n\tint i, s = %d;\n\n\tfor (i = 0; i < n; i++)\n\t\ts = s * 31 + (p[i] > s ? p[i] / (i + 1) : s >> %d);\n\treturn s;\n}\n", i, i, i % 7 + 1 }' > /tmp/work.i
