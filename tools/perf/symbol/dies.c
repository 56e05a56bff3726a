// SPDX-License-Identifier: GPL-2.0
/*
 * Walks the DIEs of a unit (DWARF 5, 7.5). It is given libdw's memory of the unit, and owns the shapes:
 * what is known of all DIEs with one abbreviation. Damaged units end a walk.
 */
#include <byteswap.h>
#include <dwarf.h>
#include <gelf.h>

#include "base/arena.h"
#include "cfi/bytes.h"
#include "symbol/dies.h"

enum what {
	STEP_END,
	STEP_ONLY_SKIP,
	STEP_FORM,		/* a value whose size depends on its bytes */
	STEP_LOW, STEP_HIGH, STEP_SIBLING,
};

struct die_step {
	u8 skip;		/* bytes before it */
	u8 what;
	u16 form;
};

struct die_shape {
	u32 first;		/* index in dies.steps */
	u16 tag;
	bool known, has_children, has_code, is_plain;
};

/* The bytes of a section of @elf from @p to its end. */
static size_t bytes_in_section(Elf *elf, const u8 *p)
{
	Elf_Scn *scn = NULL;
	Elf_Data *data;
	GElf_Shdr sh;

	while ((scn = elf_nextscn(elf, scn))) {
		data = gelf_getshdr(scn, &sh) && sh.sh_type != SHT_NOBITS ? elf_rawdata(scn, NULL) : NULL;
		if (data && p >= (u8 *)data->d_buf && p < (u8 *)data->d_buf + data->d_size)
			return (u8 *)data->d_buf + data->d_size - p;
	}
	return 0;
}

bool dies_init(struct dies *d, Dwarf_Die *unit)
{
	Dwarf *dwarf = dwarf_cu_getdwarf(unit->cu);
	Elf *elf = dwarf_getelf(dwarf);
	Dwarf_Off in_unit = dwarf_cuoffset(unit), off = dwarf_dieoffset(unit) - in_unit, next;
	size_t head;

	*d = (struct dies){ .cu = unit->cu, .unit = (const u8 *)unit->addr - in_unit };
	if (dwarf_next_unit(dwarf, off, &next, &head, &d->version, NULL, &d->addr_size, &d->offset_size, NULL, NULL))
		return false;
	d->end = d->unit + min(next - off, (Dwarf_Off)bytes_in_section(elf, d->unit));
	d->big = elf_getident(elf, NULL)[EI_DATA] == ELFDATA2MSB;
	return d->addr_size <= sizeof(u64);
}

void dies_deinit(struct dies *d)
{
	free(d->shapes);
	free(d->rare);
	hash_deinit(&d->by_code);
	free(d->steps);
}

/* The functions below return the position after a value, or NULL. */
static const u8 *read_uleb(const struct dies *d, const u8 *p, u64 *v)
{
	struct bytes b = { p, d->end, false };

	*v = bytes_uleb(&b);
	return b.bad ? NULL : b.p;
}

static const u8 *read_number(const struct dies *d, const u8 *p, u32 size, u64 *v)
{
	*v = 0;
	if ((size_t)(d->end - p) < size)
		return NULL;
	memcpy(v, p, size);
	if (d->big && size)
		*v = bswap_64(*v) >> (64 - 8 * size);
	return p + size;
}

/* The size of a form's value; -1: it depends on the value. */
static int form_size(const struct dies *d, u32 form)
{
	enum { ADDRESS = 32, OFFSET };
	static const u8 sizes[] = {	/* + 1 */
		[DW_FORM_flag_present] = 1, [DW_FORM_implicit_const] = 1, [DW_FORM_data1] = 2,
		[DW_FORM_ref1] = 2, [DW_FORM_flag] = 2, [DW_FORM_strx1] = 2, [DW_FORM_addrx1] = 2,
		[DW_FORM_data2] = 3, [DW_FORM_ref2] = 3, [DW_FORM_strx2] = 3, [DW_FORM_addrx2] = 3,
		[DW_FORM_strx3] = 4, [DW_FORM_addrx3] = 4, [DW_FORM_data4] = 5, [DW_FORM_ref4] = 5,
		[DW_FORM_strx4] = 5, [DW_FORM_addrx4] = 5, [DW_FORM_ref_sup4] = 5,
		[DW_FORM_data8] = 9, [DW_FORM_ref8] = 9, [DW_FORM_ref_sig8] = 9,
		[DW_FORM_ref_sup8] = 9, [DW_FORM_data16] = 17, [DW_FORM_addr] = ADDRESS,
		[DW_FORM_strp] = OFFSET, [DW_FORM_line_strp] = OFFSET,
		[DW_FORM_sec_offset] = OFFSET, [DW_FORM_strp_sup] = OFFSET,
	};
	u8 size = form < ARRAY_SIZE(sizes) ? sizes[form] : 0;

	if (size == ADDRESS || (form == DW_FORM_ref_addr && d->version < 3))
		return d->addr_size;
	if (size == OFFSET || form == DW_FORM_ref_addr || form == DW_FORM_GNU_strp_alt ||
	    form == DW_FORM_GNU_ref_alt)
		return d->offset_size;
	return size - 1;
}

/* Read a value: of a number or reference, *@v. */
static const u8 *read_form(const struct dies *d, const u8 *p, u32 form, u64 *v)
{
	int size = form_size(d, form);

	if (size == 16)
		return d->end - p < size ? NULL : p + size;
	if (size >= 0)
		return read_number(d, p, size, v);
	switch (form) {
	case DW_FORM_sdata:
	case DW_FORM_udata:
	case DW_FORM_ref_udata:
	case DW_FORM_strx:
	case DW_FORM_addrx:
	case DW_FORM_loclistx:
	case DW_FORM_rnglistx:
	case DW_FORM_GNU_addr_index:
	case DW_FORM_GNU_str_index:
		return read_uleb(d, p, v);
	case DW_FORM_string:
		p = memchr(p, 0, d->end - p);
		return p ? p + 1 : NULL;
	case DW_FORM_block1:
		p = read_number(d, p, 1, v);
		break;
	case DW_FORM_block2:
		p = read_number(d, p, 2, v);
		break;
	case DW_FORM_block4:
		p = read_number(d, p, 4, v);
		break;
	case DW_FORM_block:
	case DW_FORM_exprloc:
		p = read_uleb(d, p, v);
		break;
	case DW_FORM_indirect: {
		u64 real;

		p = read_uleb(d, p, &real);
		/* The constant of an implicit one is in the abbreviation, so it cannot be here. */
		return !p || real == DW_FORM_indirect || real > UINT16_MAX ? NULL : read_form(d, p, real, v);
	}
	default:
		return NULL;
	}
	return p && *v <= (u64)(d->end - p) ? p + *v : NULL;
}

/* What the attributes of a DIE say of all DIEs with its abbreviation. */
struct shaper {
	struct dies *d;
	struct die_shape *shape;
	u32 skip;		/* bytes since the last step */
	bool low, high;		/* @low is a plain address, @high its distance */
};

static void add_step(struct shaper *s, enum what what, u32 form)
{
	struct dies *d = s->d;

	GROW(d->steps, d->nr_steps, d->cap_steps);
	d->steps[d->nr_steps++] = (struct die_step){ s->skip, what, form };
	s->skip = 0;
}

static bool is_constant(u32 form)
{
	return form == DW_FORM_data1 || form == DW_FORM_data2 || form == DW_FORM_data4 || form == DW_FORM_data8 ||
	       form == DW_FORM_udata;
}

static int on_attr(Dwarf_Attribute *attr, void *arg)
{
	struct shaper *s = arg;
	u32 form = dwarf_whatform(attr), name = dwarf_whatattr(attr);
	int size = form_size(s->d, form);

	if (form > UINT16_MAX)
		return DWARF_CB_ABORT;
	s->shape->has_code |= name == DW_AT_low_pc || name == DW_AT_ranges;
	if (name == DW_AT_low_pc && form == DW_FORM_addr) {
		s->low = true;
		add_step(s, STEP_LOW, form);
	} else if (name == DW_AT_high_pc && is_constant(form)) {
		s->high = true;
		add_step(s, STEP_HIGH, form);
	} else if (name == DW_AT_sibling && form != DW_FORM_ref_addr) {
		add_step(s, STEP_SIBLING, form);
	} else if (size < 0) {
		add_step(s, STEP_FORM, form);
	} else {
		if (s->skip + size > UINT8_MAX)
			add_step(s, STEP_ONLY_SKIP, 0);
		s->skip += size;
	}
	return DWARF_CB_OK;
}

/* The place of a code's shape: hashed if the code is high, as an array would outgrow a unit. */
static struct die_shape *shape_of(struct dies *d, u64 code)
{
	u32 i = d->nr_shapes;
	bool added;
	u64 *slot;

	if (code >= 64 && code > (u64)(d->end - d->unit) / 16) {
		slot = hash_insert(&d->by_code, code, 0, &added);
		if (added) {
			GROW(d->rare, d->nr_rare, d->cap_rare);
			d->rare[d->nr_rare] = (struct die_shape){ 0 };
			*slot = d->nr_rare++;
		}
		return &d->rare[*slot];
	}
	if (code >= i) {
		d->nr_shapes = max(2 * i, max((u32)code + 1, 64u));
		d->shapes = xrealloc(d->shapes, d->nr_shapes * sizeof(*d->shapes));
		memset(d->shapes + i, 0, (d->nr_shapes - i) * sizeof(*d->shapes));
	}
	return &d->shapes[code];
}

/* The shape of a code that is rare, or new: made from its first DIE. */
static const struct die_shape *make_shape(struct dies *d, u64 code, const u8 *at)
{
	Dwarf_Die die = { .addr = (void *)at, .cu = d->cu };
	struct shaper s = { .d = d, .shape = shape_of(d, code) };

	if (s.shape->known)
		return s.shape;
	s.shape->first = d->nr_steps;
	s.shape->tag = dwarf_tag(&die);
	s.shape->has_children = dwarf_haschildren(&die) > 0;
	if (dwarf_getattrs(&die, on_attr, &s, 0) != 1)
		return NULL;
	add_step(&s, STEP_END, 0);
	s.shape->is_plain = s.low && s.high;
	s.shape->known = true;
	return s.shape;
}

/* Read the attributes. Return: the position after them; NULL: they are damaged. */
static const u8 *read_attrs(const struct dies *d, const struct die_step *s, const u8 *p, struct die *die)
{
	u64 v = 0;

	for (; p && s->skip <= d->end - p; s++) {
		p += s->skip;
		switch (s->what) {
		case STEP_END:
			return p;
		case STEP_ONLY_SKIP:
			continue;
		case STEP_LOW:
			p = read_number(d, p, d->addr_size, &die->low);
			continue;
		}
		p = read_form(d, p, s->form, &v);
		if (s->what == STEP_HIGH)
			die->high = v;
		else if (s->what == STEP_SIBLING && v < (u64)(d->end - d->unit))
			die->sibling = d->unit + v;
	}
	return NULL;
}

bool dies_read(struct dies *d, const u8 **p, struct die *die)
{
	const struct die_shape *shape;
	const u8 *at = *p, *after;
	u64 code;

	*p = NULL;
	if (unlikely(!at || at >= d->end))
		return false;
	code = *at;
	after = likely(code < 0x80) ? at + 1 : read_uleb(d, at, &code);
	if (!code) {
		*p = after;
		return false;
	}
	shape = code < d->nr_shapes && likely(d->shapes[code].known) ? &d->shapes[code] : make_shape(d, code, at);
	if (!shape || !after)
		return false;
	die->at = at;
	die->tag = shape->tag;
	die->has_children = shape->has_children;
	die->has_code = shape->has_code;
	die->is_plain = shape->is_plain;
	die->sibling = NULL;
	*p = read_attrs(d, d->steps + shape->first, after, die);
	if (die->sibling < *p)
		die->sibling = NULL;
	if (die->is_plain)
		die->high += die->low;
	return *p;
}

const u8 *dies_skip(struct dies *d, const struct die *die, const u8 *p)
{
	struct die below;
	u32 depth = 1;

	if (die->sibling)
		return die->sibling;
	while (depth) {
		if (!dies_read(d, &p, &below)) {
			if (!p)
				return NULL;
			depth--;
		} else if (below.sibling) {
			p = below.sibling;
		} else {
			depth += below.has_children;
		}
	}
	return p;
}

ptrdiff_t dies_ranges(const struct dies *d, const struct die *die, ptrdiff_t offset, Dwarf_Addr *base,
		      Dwarf_Addr *start, Dwarf_Addr *end)
{
	Dwarf_Die slow = { .addr = (void *)die->at, .cu = d->cu };

	if (!die->is_plain)
		return die->has_code ? dwarf_ranges(&slow, offset, base, start, end) : 0;
	*start = die->low;
	*end = die->high;
	return !offset;
}
