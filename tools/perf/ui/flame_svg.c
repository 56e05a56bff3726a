// SPDX-License-Identifier: GPL-2.0
/*
 * flame_svg.c - the picture of a flame graph, with the script that works it
 *
 * Boxes have their place as percentages of the width, so the picture is as wide as
 * the window. Each is a <g> whose data-x and data-w (in units of the profile) the
 * script needs for zooming; its kind is its class, which gives the colour.
 */
#include <stdio.h>

#include "base/hash.h"
#include "ui/flame.h"

#define BOX_HEIGHT	17
#define TOP		66
#define BOTTOM		44
#define WIDTH		1200	/* where a window's width is not known */
#define CHAR_WIDTH	7.0

static const char style[] =
	"text{font:12px ui-monospace,Menlo,Consolas,monospace;fill:#111;pointer-events:none}\n"
	"#title{font-size:17px;font-weight:bold}\n"
	"#sub,#details,#found,.legend{font-size:12px;fill:#444}\n"
	"g.b{cursor:pointer}\n"
	"g.b rect{stroke:#fff;stroke-width:.5}\n"
	"g.b:hover rect{stroke:#000;stroke-width:1}\n"
	"g.up{opacity:.45}\n"
	"g.hit rect{fill:#e100e1!important}\n"
	"#reset{cursor:pointer;fill:#06c;pointer-events:all;visibility:hidden}\n"
	"#search{font:12px sans-serif;width:220px;box-sizing:border-box}\n"
	".k0{fill:#7fa8e0}.k1{fill:#8fb4e6}.k2{fill:#6f9bd8}.k3{fill:#9cc0ee}\n"
	".u0{fill:#f2a65a}.u1{fill:#f5b971}.u2{fill:#ee964b}.u3{fill:#f7c88b}\n"
	".i0{fill:#9ccc65}.i1{fill:#aed581}.i2{fill:#8bc34a}.i3{fill:#bfe08f}\n"
	".j0{fill:#c39bd3}.j1{fill:#d2b4de}.j2{fill:#b982ce}.j3{fill:#dcc5e8}\n"
	".m0{fill:#bdbdbd}.f0{fill:#d9d9d9}.c0{fill:#ede2c8}.r0{fill:#e4e4e4}\n";

static const char script[] =
	"'use strict';\n"
	"const svg=document.documentElement,boxes=[...document.querySelectorAll('g.b')].map(g=>({g:g,\n"
	"  r:g.querySelector('rect'),t:g.querySelector('text'),n:g.getAttribute('data-n'),\n"
	"  x:+g.getAttribute('data-x'),w:+g.getAttribute('data-w'),d:+g.getAttribute('data-d'),\n"
	"  s:g.querySelector('title').textContent}));\n"
	"const all=boxes[0].w,$=id=>document.getElementById(id);\n"
	"let view={x:0,w:all,d:0},pattern=null;\n"
	"function draw(){\n"
	"  const px=svg.clientWidth||svg.getBoundingClientRect().width||1200;\n"
	"  for(const b of boxes){\n"
	"    const up=b.d<view.d&&b.x<=view.x&&b.x+b.w>=view.x+view.w;\n"
	"    const left=up?0:(b.x-view.x)/view.w,width=up?1:b.w/view.w;\n"
	"    const seen=up||(b.d>=view.d&&b.x>=view.x&&b.x+b.w<=view.x+view.w&&width*px>=.3);\n"
	"    b.g.style.display=seen?'':'none';\n"
	"    b.g.classList.toggle('up',up);\n"
	"    if(!seen)continue;\n"
	"    b.r.setAttribute('x',100*left+'%');b.r.setAttribute('width',100*width+'%');\n"
	"    const fit=Math.floor((width*px-6)/7);\n"
	"    b.t.setAttribute('x',100*left+'%');\n"
	"    b.t.textContent=fit<3?'':b.n.length<=fit?b.n:b.n.slice(0,fit-2)+'..';\n"
	"  }\n"
	"  $('reset').style.visibility=view.w<all?'visible':'hidden';\n"
	"}\n"
	"function zoom(b){view={x:b.x,w:b.w,d:b.d};draw();mark();}\n"
	"function reset(){view={x:0,w:all,d:0};draw();mark();}\n"
	"function mark(){\n"
	"  let re=null;\n"
	"  if(pattern){try{re=new RegExp(pattern,'i');}catch(e){\n"
	"    re=new RegExp(pattern.replace(/[.*+?^${}()|[\\]\\\\]/g,'\\\\$&'),'i');}}\n"
	"  const hits=[];\n"
	"  for(const b of boxes){const hit=!!re&&re.test(b.n);\n"
	"    b.g.classList.toggle('hit',hit);\n"
	"    if(hit&&b.x>=view.x&&b.x+b.w<=view.x+view.w)hits.push(b);}\n"
	"  hits.sort((p,q)=>p.x-q.x||p.d-q.d);\n"
	"  let end=-1,sum=0;\n"
	"  for(const b of hits)if(b.x>=end){sum+=b.w;end=b.x+b.w;}\n"
	"  $('found').textContent=re?'matched: '+(100*sum/view.w).toFixed(2)+' %':'';\n"
	"}\n"
	"function search(text){pattern=text||null;mark();}\n"
	"svg.addEventListener('click',e=>{const g=e.target.closest&&e.target.closest('g.b');\n"
	"  if(g)zoom(boxes.find(b=>b.g===g));else if(e.target.id==='reset')reset();});\n"
	"svg.addEventListener('mouseover',e=>{const g=e.target.closest&&e.target.closest('g.b');\n"
	"  $('details').textContent=g?boxes.find(b=>b.g===g).s:'';});\n"
	"$('search').addEventListener('input',e=>search(e.target.value));\n"
	"window.addEventListener('keydown',e=>{\n"
	"  if((e.ctrlKey||e.metaKey)&&e.key==='f'){e.preventDefault();$('search').focus();}\n"
	"  if(e.key==='Escape'){$('search').value='';search('');reset();}});\n"
	"window.addEventListener('resize',draw);\n"
	"draw();\n";

/* XML text or attribute value; what XML cannot hold becomes '?'. */
static void put_xml(struct outbuf *o, const char *s, size_t max)
{
	for (; *s && max; max--) {
		unsigned char c = *s;
		size_t len = c < 0x80 ? 1 : c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : 2, i;

		switch (c) {
		case '&':
			outbuf_puts(o, "&amp;");
			s++;
			continue;
		case '<':
			outbuf_puts(o, "&lt;");
			s++;
			continue;
		case '>':
			outbuf_puts(o, "&gt;");
			s++;
			continue;
		case '"':
			outbuf_puts(o, "&quot;");
			s++;
			continue;
		}
		/* Well-formed UTF-8 goes through: no overlong forms, no surrogates. */
		for (i = 1; i < len; i++)
			if (((unsigned char)s[i] & 0xc0) != 0x80)
				break;
		if (c < 0x20 || c == 0x7f || (c >= 0x80 && c < 0xc2) || c > 0xf4 || i < len ||
		    (c == 0xe0 && (unsigned char)s[1] < 0xa0) ||
		    (c == 0xed && (unsigned char)s[1] > 0x9f) ||
		    (c == 0xef && (unsigned char)s[1] == 0xbf && (unsigned char)s[2] >= 0xbe) ||
		    (c == 0xf0 && (unsigned char)s[1] < 0x90) ||
		    (c == 0xf4 && (unsigned char)s[1] > 0x8f)) {
			outbuf_putc(o, '?');
			s++;
			continue;
		}
		outbuf_write(o, s, len);
		s += len;
	}
}

/* How many characters, not bytes. */
static size_t xml_length(const char *s)
{
	size_t n = 0;

	for (; *s; s++)
		n += ((unsigned char)*s & 0xc0) != 0x80;
	return n;
}

static void put_box(const struct flame_picture *p, const struct flame_box *b, struct outbuf *o)
{
	double x = 100.0 * b->start / p->total, w = 100.0 * b->total / p->total;
	u32 y = TOP + (p->depth - b->depth) * BOX_HEIGHT;
	bool shaded = strchr("kuij", b->kind);
	int shade = shaded ? hash_bytes(b->name, strlen(b->name)) & 3 : 0;
	int fit = (w / 100 * WIDTH - 6) / CHAR_WIDTH;

	outbuf_printf(o, "<g class=\"b\" data-x=\"%llu\" data-w=\"%llu\" data-d=\"%u\" data-n=\"",
		      b->start, b->total, b->depth);
	put_xml(o, b->name, (size_t)-1);
	outbuf_puts(o, "\"><title>");
	put_xml(o, b->name, (size_t)-1);
	outbuf_printf(o, " (%u samples, %.2f %%)</title><rect class=\"%c%d\" x=\"%.4f%%\" y=\"%u\" "
		      "width=\"%.4f%%\" height=\"%u\"/><text dx=\"3\" x=\"%.4f%%\" y=\"%u\">",
		      b->samples, w, b->kind, shade, x, y, w, BOX_HEIGHT - 1, x, y + 12);
	if (fit >= 3) {
		if (xml_length(b->name) <= (size_t)fit) {
			put_xml(o, b->name, (size_t)-1);
		} else {
			put_xml(o, b->name, fit - 2);
			outbuf_puts(o, "..");
		}
	}
	outbuf_puts(o, "</text></g>\n");
}

void flame_svg(const struct flame_picture *p, struct outbuf *o)
{
	static const struct { const char *class, *name; } legend[] = {
		{ "k0", "kernel" }, { "u0", "user" }, { "i0", "inlined" }, { "j0", "JIT" },
		{ "m0", "user stack missing" }, { "f0", "too narrow to show" },
	};
	u32 height = TOP + (p->depth + 1) * BOX_HEIGHT + BOTTOM, i, x;

	outbuf_printf(o, "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n"
		      "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"100%%\" "
		      "height=\"%u\" style=\"min-width:600px;background:#fff\">\n<title>", height);
	put_xml(o, p->title, (size_t)-1);
	outbuf_printf(o, "</title>\n<style>\n%s</style>\n", style);
	outbuf_puts(o, "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
		    "<text id=\"title\" x=\"10\" y=\"22\">");
	put_xml(o, p->title, (size_t)-1);
	outbuf_puts(o, "</text>\n<text id=\"sub\" x=\"10\" y=\"40\">");
	put_xml(o, p->subtitle, (size_t)-1);
	outbuf_puts(o, "</text>\n<text id=\"reset\" x=\"10\" y=\"57\">reset zoom</text>\n"
		    "<text id=\"found\" x=\"100%\" y=\"46\" dx=\"-230\"/>\n"
		    "<svg x=\"100%\" overflow=\"visible\"><foreignObject x=\"-230\" y=\"10\" "
		    "width=\"222\" height=\"24\"><input xmlns=\"http://www.w3.org/1999/xhtml\" "
		    "id=\"search\" type=\"search\" placeholder=\"search (regular expression)\"/>"
		    "</foreignObject></svg>\n");
	for (i = 0; i < p->nr; i++)
		put_box(p, &p->boxes[i], o);
	outbuf_printf(o, "<text id=\"details\" x=\"10\" y=\"%u\"> </text>\n", height - 26);
	for (i = 0, x = 10; i < ARRAY_SIZE(legend); i++) {
		outbuf_printf(o, "<rect class=\"%s\" x=\"%u\" y=\"%u\" width=\"12\" height=\"12\"/>"
			      "<text class=\"legend\" x=\"%u\" y=\"%u\">%s</text>\n",
			      legend[i].class, x, height - 18, x + 17, height - 8, legend[i].name);
		x += 40 + strlen(legend[i].name) * 7;
	}
	outbuf_printf(o, "<script><![CDATA[\n%s]]></script>\n</svg>\n", script);
}
