// SPDX-License-Identifier: GPL-2.0
/*
 * Filters: the lists that options give, and what they say of samples and places.
 */
#include "session/filter.h"
#include "unit.h"

TEST(names)
{
	struct name_list l = { 0 };

	assert_null(name_list_parse("comms", "b,a,c d", &l));
	assert_true(name_list_has(&l, "a") && name_list_has(&l, "c d"));
	assert_false(name_list_has(&l, "d"));
	/* A second one replaces the first. */
	assert_null(name_list_parse("comms", ",d,", &l));
	assert_true(name_list_has(&l, "d") && l.nr == 1);
	assert_int_equal(error_report(name_list_parse("comms", ",", &l)), -1);
	name_list_deinit(&l);
	assert_null(l.arg);
}

TEST(numbers)
{
	static const char *const bad[] = {
		"", "4-2", ",1", "-2", "1,-1", "0x1", "1-", "1 2", "4294967296", "1,,2", "1,x",
	};
	struct number_list l = { 0 };
	size_t i;

	assert_null(number_list_parse("cpu", "0,2-4", &l));
	assert_true(number_list_has(&l, 0) && number_list_has(&l, 3) && number_list_has(&l, 4));
	assert_false(number_list_has(&l, 1) || number_list_has(&l, 5));
	/* In any order, over each other, and with a comma at the end */
	assert_null(number_list_parse("cpu", "30-40, 7 ,35-50,10-31,7,", &l));
	assert_int_equal(l.nr, 2);
	assert_true(number_list_has(&l, 7) && number_list_has(&l, 10) && number_list_has(&l, 50));
	assert_false(number_list_has(&l, 6) || number_list_has(&l, 8) || number_list_has(&l, 51));
	assert_null(number_list_parse("pid", "-1", &l));
	assert_true(number_list_has(&l, (u32)-1) && !number_list_has(&l, 1));
	assert_null(number_list_parse("pid", "010", &l));
	assert_true(number_list_has(&l, 10));
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(error_report(number_list_parse("cpu", bad[i], &l)), -1);
	number_list_deinit(&l);
	assert_false(number_list_has(&l, 0));
}

TEST(times)
{
	struct number_list t = { 0 };

	assert_null(time_list_parse("1.5,2 3,", 0, 0, &t));
	assert_true(number_list_has(&t, 1500000000) && number_list_has(&t, 2000000000));
	assert_false(number_list_has(&t, 2000000001) || number_list_has(&t, 1499999999));
	assert_true(number_list_has(&t, 3000000000ULL) && number_list_has(&t, 1ULL << 60));
	assert_null(time_list_parse("12.000000345,12.0000003459", 0, 0, &t));
	assert_true(t.nr == 1 && t.spans[0].from == 12000000345ULL && t.spans[0].to == 12000000345ULL);
	assert_int_equal(error_report(time_list_parse("18446744073,", 0, 0, &t)), -1);
	assert_int_equal(error_report(time_list_parse("2,1", 0, 0, &t)), -1);
	assert_int_equal(error_report(time_list_parse(" ", 0, 0, &t)), -1);
	number_list_deinit(&t);
}

/* Parts that follow each other leave nothing out and share nothing. */
TEST(parts)
{
	static const char *const tenths[] = {
		"10%", "10%/2", "20%-30%", "10%/4", "40%-50%", "10%/6", "60%-70%", "10%/8", "10%/9",
		"90%-100%",
	};
	struct number_list t = { 0 };
	u32 count[1001] = { 0 }, i, at;

	assert_null(time_list_parse("10%/2,90%-100%", 1000, 2000, &t));
	assert_true(number_list_has(&t, 1150) && number_list_has(&t, 2000));
	assert_false(number_list_has(&t, 1050) || number_list_has(&t, 1500));
	for (i = 0; i < ARRAY_SIZE(tenths); i++) {
		assert_null(time_list_parse(tenths[i], 1000, 2000, &t));
		for (at = 0; at <= 1000; at++)
			count[at] += number_list_has(&t, 1000 + at);
		assert_false(number_list_has(&t, 999) || number_list_has(&t, 2001));
	}
	for (at = 0; at <= 1000; at++)
		assert_int_equal(count[at], 1);
	/* Of a recording with one sample, and with none */
	assert_null(time_list_parse("10%/2", 1000, 1000, &t));
	assert_true(number_list_has(&t, 1000));
	assert_null(time_list_parse("10%/2", 0, 0, &t));
	assert_int_equal(error_report(time_list_parse("110%/1", 0, 0, &t)), -1);
	number_list_deinit(&t);
}

TEST(tasks)
{
	struct filter f = { 0 };
	struct sample s = { .pid = 3, .tid = 4, .cpu = 5, .time = 1000000000 };

	assert_false(filter_given(&f));
	assert_true(filter_sample(&f, &s) && filter_task(&f, &s, NULL, NULL));
	assert_null(number_list_parse("pid", "3", &f.pids));
	assert_null(number_list_parse("tid", "4-6", &f.tids));
	assert_null(name_list_parse("comms", "x", &f.comms));
	assert_true(filter_given(&f));
	assert_true(filter_task(&f, &s, "x", NULL));
	assert_false(filter_task(&f, &s, "y", NULL));
	s.tid = 7;
	assert_false(filter_task(&f, &s, "x", NULL));
	assert_true(filter_sample(&f, &s));
	assert_null(number_list_parse("cpu", "4", &f.cpus));
	assert_false(filter_sample(&f, &s));
	filter_deinit(&f);
	assert_false(filter_given(&f));
}

TEST(places)
{
	struct symbol sym = { .name = "f", .start = 0x100 };
	struct dso dso = { .name = "/lib/a.so", .short_name = "a.so" };
	struct symbol inlined = { .name = "g" };
	const struct inline_frame inl = { .sym = &inlined };
	const struct frame unknown = { .ip = 0x100 }, nameless = { .dso = &dso };
	struct frame fr = { .ip = 0x7110, .addr = 0x110, .sym = &sym, .dso = &dso };
	u64 addresses[] = { 0x50, 0x7100 };
	struct filter f = { 0 };

	assert_true(filter_frame(&f, &unknown, NULL));
	assert_null(name_list_parse("dsos", "a.so", &f.dsos));
	assert_true(filter_frame(&f, &nameless, NULL));
	assert_false(filter_frame(&f, &unknown, NULL));
	assert_null(name_list_parse("dsos", "/lib/a.so,[unknown]", &f.dsos));
	assert_true(filter_frame(&f, &nameless, NULL) && filter_frame(&f, &unknown, NULL));
	assert_null(name_list_parse("symbols", "g", &f.symbols));
	assert_false(filter_frame(&f, &fr, NULL));
	assert_true(filter_frame(&f, &fr, &inl));
	filter_deinit(&f);

	/* The start of the function, or near an address */
	assert_null(name_list_parse("symbols", "g", &f.symbols));
	assert_false(filter_frame(&f, &fr, NULL));
	f.addresses = addresses;
	f.nr_addresses = ARRAY_SIZE(addresses);
	assert_true(filter_frame(&f, &fr, NULL));
	fr.sym = NULL;
	assert_false(filter_frame(&f, &fr, NULL));
	f.addr_range = 0xf;
	assert_false(filter_frame(&f, &fr, NULL));
	f.addr_range = 0x10;
	assert_true(filter_frame(&f, &fr, NULL));
	f.addresses = NULL;
	filter_deinit(&f);
}

UNIT_MAIN(NULL, NULL)
