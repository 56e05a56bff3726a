// SPDX-License-Identifier: GPL-2.0
// duckdb.js FOLDER GLOB: asks DuckDB three questions over JSON lines, answers in FOLDER/answer.{1,2,3}
'use strict';
const { DuckDBInstance } = require('@duckdb/node-api');
const fs = require('fs');
const [folder, glob] = process.argv.slice(2);

const questions = [
	// What did each thread's name cost on each machine?
	`select host, sum(period), count(*), comm from samples group by host, comm`,
	// Which function was running, by control group?
	`select host, sum(period), count(*), coalesce(cgroup, 'N/A') as cg, frames[1] as f
	 from samples group by host, cg, f`,
	// Which functions were on the stack, and for how much of a machine's time?
	`with s as (select row_number() over () as id, * from samples),
	      f as (select distinct id, host, period, unnest(frames) as f from s),
	      t as (select host, sum(period) as total from s group by host)
	 select f.host, printf('%.2f%%', 100.0 * sum(f.period) / any_value(t.total)), f
	 from f join t on f.host = t.host where f not like '[%' group by f.host, f`,
];

(async () => {
	const db = await (await DuckDBInstance.create(':memory:')).connect();
	await db.run(`create table samples as select * from read_json('${glob}', format = 'newline_delimited')`);
	for (let i = 0; i < questions.length; i++) {
		const rows = (await db.runAndReadAll(questions[i])).getRows();
		fs.writeFileSync(`${folder}/answer.${i + 1}`, rows.map(r => r.join(',') + '\n').join(''));
	}
})();
