// SPDX-License-Identifier: GPL-2.0
/*
 * Decides whether libtraceevent may print the text of a tracepoint: it evaluates the format of a
 * file without regard to the end of the raw data. Sizes, indices and divisors of the arguments
 * (event-parse.h) are computed; a text with one that cannot be is not printed.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "event/format.h"

#define MAX_DEPTH	200	/* of nested arguments: the library is recursive */
#define MAX_CONVERSIONS	256	/* of a format: each may print a string as long as the raw data */
#define MAX_WIDTH	4096

struct print_args {
	struct tep_event *event;
	const void *data;	/* NULL: no sample yet; numbers that depend on it are unknown */
	bool depends;		/* a number depends on the sample */
};

static bool walk(struct print_args *c, const struct tep_print_arg *arg, int depth);

static bool is_op(const struct tep_print_arg *arg, const char *op)
{
	return arg->type == TEP_PRINT_OP && !strcmp(arg->op.op, op);
}

/* Apply a cast to a type smaller than int. */
static bool cast(const char *type, u64 *v)
{
	bool is_unsigned = type[0] == 'u';
	int bits = strstr(type, "char") || strchr(type, '8') ? 8 : strstr(type, "short") || strstr(type, "16") ? 16 : 0;

	if (!bits)
		return true;
	*v &= (1ULL << bits) - 1;
	return is_unsigned || !(*v >> (bits - 1));
}

#define OP(a, b) ((u8)(a) | (u8)(b) << 8)

/* Compute a binary operation. Return: false: negative, above 64 bits, or undefined. */
static bool compute(const char *op, u64 a, u64 b, u64 *v)
{
	switch (OP(op[0], op[0] ? op[1] : 0)) {
	case OP('+', 0):
		return !__builtin_add_overflow(a, b, v);
	case OP('-', 0):
		return !__builtin_sub_overflow(a, b, v);
	case OP('*', 0):
		return !__builtin_mul_overflow(a, b, v);
	case OP('/', 0):
		*v = b ? a / b : 0;
		return b;
	case OP('%', 0):
		*v = b ? a % b : 0;
		return b;
	case OP('<', '<'):
		*v = b < 64 ? a << b : 0;
		return b < 64 && *v >> b == a;
	case OP('>', '>'):
		*v = b < 64 ? a >> b : 0;
		return b < 64;
	case OP('&', 0): *v = a & b; break;
	case OP('|', 0): *v = a | b; break;
	case OP('&', '&'): *v = a && b; break;
	case OP('|', '|'): *v = a || b; break;
	case OP('=', '='): *v = a == b; break;
	case OP('!', '='): *v = a != b; break;
	case OP('<', 0): *v = a < b; break;
	case OP('>', 0): *v = a > b; break;
	case OP('<', '='): *v = a <= b; break;
	case OP('>', '='): *v = a >= b; break;
	default:
		return false;
	}
	return true;
}

static struct tep_format_field *field_of(struct print_args *c, const char *name, struct tep_format_field *field)
{
	return field ? field : name ? tep_find_any_field(c->event, name) : NULL;
}

/* Set @v to a non-negative number, if there is a sample. Return: false: it is unknown. */
static bool number(struct print_args *c, const struct tep_print_arg *arg, int depth, u64 *v)
{
	struct tep_format_field *field;
	unsigned long long n;
	u64 a, b;
	char *end;

	*v = 0;
	if (!arg || depth > MAX_DEPTH)
		return false;
	switch (arg->type) {
	case TEP_PRINT_ATOM:
		*v = strtoull(arg->atom.atom, &end, 0);
		return isdigit((u8)arg->atom.atom[0]) && !end[strspn(end, "uUlL")];
	case TEP_PRINT_FIELD:
		field = field_of(c, arg->field.name, arg->field.field);
		c->depends = true;
		if (!field || !c->data)
			return field;
		if (tep_read_number_field(field, c->data, &n))
			return false;
		*v = n;
		return true;
	case TEP_PRINT_DYNAMIC_ARRAY_LEN:
		c->depends = true;
		if (arg->dynarray.field && c->data)
			*v = tep_read_number(c->event->tep, (const u8 *)c->data + arg->dynarray.field->offset, 4) >> 16;
		return arg->dynarray.field;
	case TEP_PRINT_TYPE:
		return number(c, arg->typecast.item, depth + 1, v) && cast(arg->typecast.type, v);
	case TEP_PRINT_OP:
		if (!number(c, arg->op.left, depth + 1, &a) || !number(c, arg->op.right, depth + 1, &b))
			return false;
		if (compute(arg->op.op, a, b, v))
			return true;
		/* It depends on the sample: 0 until there is one. */
		*v = 0;
		return !c->data && c->depends;
	default:
		return false;
	}
}

/* Do as many items of @bytes bytes as an argument gives fit into the readable bytes? */
static bool count_fits(struct print_args *c, const struct tep_print_arg *arg, u64 bytes, int depth)
{
	u64 n;

	/* The library reads behind the raw data, so each sample is checked. */
	c->depends = true;
	return number(c, arg, depth, &n) && n <= PRINT_BEHIND / 2 / bytes;
}

/* Is this a valid source of an array or of bytes? The library treats anything else as a field. */
static bool is_place(struct print_args *c, const struct tep_print_arg *arg)
{
	if (arg->type == TEP_PRINT_DYNAMIC_ARRAY)
		return arg->dynarray.field;
	return arg->type == TEP_PRINT_FIELD && field_of(c, arg->field.name, arg->field.field);
}

static bool index_fits(struct print_args *c, const struct tep_print_arg *arg, int depth)
{
	const struct tep_print_arg *of = arg->op.left;
	struct tep_format_field *field = NULL;

	while (of && of->type == TEP_PRINT_TYPE)
		of = of->typecast.item;
	if (of && of->type == TEP_PRINT_DYNAMIC_ARRAY)
		field = of->dynarray.field;
	else if (of && of->type == TEP_PRINT_FIELD)
		field = field_of(c, of->field.name, of->field.field);
	return field && field->elementsize <= 64 && count_fits(c, arg->op.right, 64, depth);
}

static bool divides(struct print_args *c, const struct tep_print_arg *arg, int depth)
{
	bool before = c->depends;
	u64 n;

	c->depends = false;
	if (!number(c, arg->op.right, depth, &n))
		return false;
	if (!c->depends || c->data) {
		c->depends |= before;
		return n && n != (u64)-1;
	}
	return true;
}

static bool walk_op(struct print_args *c, const struct tep_print_arg *arg, int depth)
{
	const struct tep_print_arg *left = arg->op.left, *right = arg->op.right;
	u64 n;

	if (is_op(arg, "?") && right && is_op(right, ":") && c->data && number(c, left, depth, &n))
		/* Only the chosen branch is evaluated: the other may divide by 0. */
		return walk(c, left, depth) && walk(c, n ? right->op.left : right->op.right, depth);
	if (is_op(arg, "[") && !index_fits(c, arg, depth))
		return false;
	if ((is_op(arg, "/") || is_op(arg, "%")) && !divides(c, arg, depth))
		return false;
	return (!left || walk(c, left, depth)) && (!right || walk(c, right, depth));
}

static bool walk_one(struct print_args *c, const struct tep_print_arg *arg, int depth)
{
	struct tep_format_field *field;
	u64 size;

	switch (arg->type) {
	case TEP_PRINT_NULL:
	case TEP_PRINT_ATOM:
	case TEP_PRINT_FIELD:
		return true;
	case TEP_PRINT_STRING:
	case TEP_PRINT_BSTRING:
		field = field_of(c, arg->string.string, arg->string.field);
		return !field || field->flags & TEP_FIELD_IS_DYNAMIC;
	case TEP_PRINT_BITMASK:
	case TEP_PRINT_CPUMASK:
		field = field_of(c, arg->bitmask.bitmask, arg->bitmask.field);
		return !field || field->flags & TEP_FIELD_IS_DYNAMIC;
	case TEP_PRINT_DYNAMIC_ARRAY:
		return arg->dynarray.field && (!arg->dynarray.index || walk(c, arg->dynarray.index, depth));
	case TEP_PRINT_DYNAMIC_ARRAY_LEN:
		return arg->dynarray.field;
	case TEP_PRINT_FLAGS:
		return walk(c, arg->flags.field, depth);
	case TEP_PRINT_SYMBOL:
		return walk(c, arg->symbol.field, depth);
	case TEP_PRINT_TYPE:
		return walk(c, arg->typecast.item, depth);
	case TEP_PRINT_HEX:
	case TEP_PRINT_HEX_STR:
		return is_place(c, arg->hex.field) && count_fits(c, arg->hex.size, 1, depth);
	case TEP_PRINT_INT_ARRAY:
		return is_place(c, arg->int_array.field) && number(c, arg->int_array.el_size, depth, &size) && size <= 8 &&
		       count_fits(c, arg->int_array.count, 8, depth);
	case TEP_PRINT_OP:
		return walk_op(c, arg, depth);
	default:
		return false;		/* a plugin's function */
	}
}

static bool walk(struct print_args *c, const struct tep_print_arg *arg, int depth)
{
	return arg && depth < MAX_DEPTH && walk_one(c, arg, depth + 1);
}

static bool walk_all(struct print_args *c)
{
	const struct tep_print_arg *arg;

	for (arg = c->event->print_fmt.args; arg; arg = arg->next)
		if (!walk(c, arg, 0))
			return false;
	return true;
}

/* Parse a width or precision: digits, or '*' for an argument. Return: false if it is too large. */
static bool width(const char **p, bool *star)
{
	int n = 0;

	if (**p == '*') {
		*star = true;
		++*p;
		return true;
	}
	while (isdigit((u8)**p) && n <= MAX_WIDTH)
		n = 10 * n + *(*p)++ - '0';
	return n <= MAX_WIDTH;
}

static bool conversions_fit(const char *p)
{
	int nr = 0;

	while ((p = strchr(p, '%'))) {
		bool wide = false, precise = false;

		p++;
		p += strspn(p, "-+ #0");
		if (++nr > MAX_CONVERSIONS || !width(&p, &wide))
			return false;
		if (*p == '.' && (p++, !width(&p, &precise)))
			return false;
		p += strspn(p, "hlzLtjq");
		/* In %*ph, %*pb and %.*s the number is not a minimum width. */
		if ((wide && *p != 'p') || (precise && *p != 's' && *p != 'p'))
			return false;
		if (!*p)
			break;
		p++;
	}
	return true;
}

enum print_kind print_kind(struct tep_event *event)
{
	struct print_args c = { .event = event };

	if (!event->print_fmt.format || (event->flags & TEP_EVENT_FL_FAILED))
		return PRINT_SAFE;
	/* Events of trace_printk() have a format by address; perf cannot record them. */
	if (event->flags & TEP_EVENT_FL_ISBPRINT || !conversions_fit(event->print_fmt.format) || !walk_all(&c))
		return PRINT_NOT;
	return c.depends ? PRINT_CHECKED : PRINT_SAFE;
}

bool print_check(struct tep_event *event, const void *data)
{
	struct print_args c = { .event = event, .data = data };

	return walk_all(&c);
}
