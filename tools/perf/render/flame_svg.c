// SPDX-License-Identifier: GPL-2.0
/*
 * flame_svg.c - writes a flame graph as SVG, with its script
 *
 * Positions of boxes are percentages, so the picture is as wide as the window. Each box is a <g>;
 * the script uses its data-x and data-w (in units of its event) for zooming, and its class is its
 * kind, which gives the colour. Boxes too narrow to draw are text in <metadata>; the script makes
 * elements of them when a zoom makes them wide enough. The text has the names, one per line, and
 * for each event
 *	DEPTH,X,WIDTH,SAMPLES,NAME ...		in a difference ,BEFORE after it
 * Numbers are of base 36, X is relative to that of the previous box, NAME begins with the kind.
 * Events have the same position: one is shown at a time.
 */
#include <stdio.h>

#include "base/hash.h"
#include "base/printable.h"
#include "render/flame.h"

#define BOX_HEIGHT	17
#define TOP		66
#define BOTTOM		44
#define WIDTH		1200	/* used if the window's width is unknown */
#define CHAR_WIDTH	7.0

static const char style[] =
	"text{font:12px ui-monospace,Menlo,Consolas,monospace;fill:#111;pointer-events:none}\n"
	"svg{background:#fff}#back{fill:#fff}\n"
	"#title{font-size:17px;font-weight:bold}\n"
	"#sub,#details,#found,.legend{font-size:12px;fill:#444}\n"
	"g.b{cursor:pointer}\n"
	"g.b rect{stroke:#fff;stroke-width:.5}\n"
	"g.b:hover rect{stroke:#000;stroke-width:1}\n"
	"g.up{opacity:.45}\n"
	"g.hit rect{fill:#e100e1!important}\n"
	"g.at rect{stroke:#000;stroke-width:2}\n"
	"#reset,.event,.tool{cursor:pointer;fill:#06c;pointer-events:all}\n"
	"#reset{visibility:hidden}\n"
	"#found,.tool{text-anchor:end}\n"
	".event.chosen{fill:#111;font-weight:bold;cursor:default}\n"
	"#search{font:12px sans-serif;width:220px;box-sizing:border-box}\n"
	".k0{fill:#7fa8e0}.k1{fill:#8fb4e6}.k2{fill:#6f9bd8}.k3{fill:#9cc0ee}\n"
	".u0{fill:#f2a65a}.u1{fill:#f5b971}.u2{fill:#ee964b}.u3{fill:#f7c88b}\n"
	".i0{fill:#9ccc65}.i1{fill:#aed581}.i2{fill:#8bc34a}.i3{fill:#bfe08f}\n"
	".j0{fill:#c39bd3}.j1{fill:#d2b4de}.j2{fill:#b982ce}.j3{fill:#dcc5e8}\n"
	".o0{fill:#4db6ac}.o1{fill:#66c2b9}.o2{fill:#3aa89d}.o3{fill:#80cbc4}\n"
	".m0{fill:#bdbdbd}.f0{fill:#d9d9d9}.c0{fill:#ede2c8}.r0{fill:#e4e4e4}\n"
	/* Colours that can be distinguished with common kinds of colour blindness */
	".safe :is(.k0,.k1,.k2,.k3){fill:#56b4e9}.safe :is(.u0,.u1,.u2,.u3){fill:#e69f00}\n"
	".safe :is(.i0,.i1,.i2,.i3){fill:#009e73}.safe :is(.j0,.j1,.j2,.j3){fill:#cc79a7}\n"
	".safe :is(.o0,.o1,.o2,.o3){fill:#f0e442}.safe g.b :is(.k1,.u1,.i1,.j1,.o1){fill-opacity:.85}\n"
	".safe g.b :is(.k2,.u2,.i2,.j2,.o2){fill-opacity:.7}\n"
	".safe g.hit rect{fill:#000!important;fill-opacity:1}.safe g.hit text{fill:#fff}\n"
	"@media(prefers-color-scheme:dark){svg{background:#1b1b1b}#back{fill:#1b1b1b}\n"
	"#title{fill:#eee}#sub,#details,#found,.legend{fill:#bbb}#reset,.event,.tool{fill:#6af}\n"
	".event.chosen{fill:#eee}g.b rect{stroke:#1b1b1b}g.at rect,g.b:hover rect{stroke:#fff}}\n";

static const char script[] =
	"'use strict';\n"
	"const svg=document.documentElement,$=id=>document.getElementById(id),ns='http://www.w3.org/2000/svg';\n"
	"const H=17,TOP=+svg.dataset.top,FOOT=+svg.dataset.foot,down0=svg.dataset.down==='1';\n"
	"const depth=+svg.dataset.depth;\n"
	"const events=[...document.querySelectorAll('g.e')].map(g=>({g:g,out:+g.getAttribute('data-out')}));\n"
	"const boxes=[];\n"
	"events.forEach((e,i)=>{\n"
	"  for(const g of e.g.querySelectorAll('g.b'))boxes.push({e:i,g:g,r:g.querySelector('rect'),\n"
	"    t:g.querySelector('text'),n:g.getAttribute('data-n'),k:g.getAttribute('data-k'),\n"
	"    x:+g.getAttribute('data-x'),w:+g.getAttribute('data-w'),d:+g.getAttribute('data-d'),\n"
	"    s:g.querySelector('title').textContent});\n"
	"  e.root=boxes.find(b=>b.e===i);\n"
	"  const m=e.g.querySelector('metadata');\n"
	"  if(!m)return;\n"
	"  const names=$('names').textContent.split('\\n');\n"
	"  let x=0;\n"
	"  for(const one of m.textContent.split(' ')){\n"
	"    const v=one.split(',').map(t=>parseInt(t,36)),name=names[v[4]],all=e.root.w;\n"
	"    const change=v.length>5?(v[2]-v[5])/all:null,more=100*change;\n"
	"    x+=v[1];\n"
	"    boxes.push({e:i,n:name.slice(1),k:name[0],d:v[0],x:x,w:v[2],change:change,\n"
	"      s:name.slice(1)+' ('+v[3]+' samples, '+(100*v[2]/all).toFixed(2)+' %'+\n"
	"        (change===null?'':', '+(more<0?'':'+')+more.toFixed(2))+')'});\n"
	"  }\n"
	"});\n"
	"const first=+svg.dataset.event;\n"
	"let event=first,view=null,pattern=null,top_=-1,down=down0,at=null;\n"
	"function element(b){\n"
	"  const g=document.createElementNS(ns,'g');\n"
	"  g.setAttribute('class','b');\n"
	"  for(const n of ['title','rect','text'])g.appendChild(document.createElementNS(ns,n));\n"
	"  [,b.r,b.t]=g.childNodes;\n"
	"  g.firstChild.textContent=b.s;\n"
	"  let h=0;\n"
	"  for(let i=0;i<b.n.length;i++)h=(31*h+b.n.charCodeAt(i))>>>0;\n"
	"  b.r.setAttribute('class',b.k+('kuijo'.includes(b.k)?h&3:0));\n"
	"  if(b.change!==null){\n"
	"    const c=Math.max(-1,Math.min(1,b.change/.05)),p=245-Math.floor(165*Math.abs(c));\n"
	"    b.r.style.fill=`rgb(${c<0?p:245},${p},${c>0?p:245})`;\n"
	"  }\n"
	"  b.r.setAttribute('height',H-1);\n"
	"  b.t.setAttribute('dx',3);\n"
	"  b.g=g;\n"
	"  g.box=b;\n"
	"  if(b.hit)g.classList.add('hit');\n"
	"  events[b.e].g.appendChild(g);\n"
	"}\n"
	"for(const b of boxes)if(b.g)b.g.box=b;\n"
	"function draw(){\n"
	"  const px=svg.clientWidth||svg.getBoundingClientRect().width||1200,seen=[];\n"
	"  let most=Math.min(depth,Math.max(0,Math.floor((window.innerHeight-TOP-FOOT)/H)-1));\n"
	"  for(const b of boxes){\n"
	"    const up=b.d<view.d&&b.x<=view.x&&b.x+b.w>=view.x+view.w;\n"
	"    const shown=b.e===event&&(up||(b.d>=view.d&&b.x>=view.x&&b.x+b.w<=view.x+view.w&&\n"
	"      b.w/view.w*px>=.3));\n"
	"    if(!shown){if(b.g)b.g.style.display='none';continue;}\n"
	"    if(!b.g)element(b);\n"
	"    b.up=up;\n"
	"    most=Math.max(most,b.d);\n"
	"    seen.push(b);\n"
	"  }\n"
	"  for(const b of seen){\n"
	"    const left=b.up?0:(b.x-view.x)/view.w,width=b.up?1:b.w/view.w;\n"
	"    const y=TOP+(down?b.d:most-b.d)*H,fit=Math.floor((width*px-6)/7);\n"
	"    b.g.style.display='';\n"
	"    b.g.classList.toggle('up',b.up);\n"
	"    b.r.setAttribute('x',100*left+'%');b.r.setAttribute('width',100*width+'%');\n"
	"    b.r.setAttribute('y',y);b.t.setAttribute('y',y+12);\n"
	"    b.t.setAttribute('x',100*left+'%');\n"
	"    b.t.textContent=fit<3?'':b.n.length<=fit?b.n:b.n.slice(0,fit-2)+'..';\n"
	"  }\n"
	"  if(most!==top_){\n"
	"    top_=most;\n"
	"    const foot=TOP+(most+1)*H;\n"
	"    $('foot').setAttribute('transform','translate(0,'+foot+')');\n"
	"    svg.setAttribute('height',foot+FOOT);\n"
	"  }\n"
	"  $('reset').style.visibility=view.w<events[event].root.w?'visible':'hidden';\n"
	"}\n"
	"function show(x,w,d){view={x:x,w:w,d:d};draw();mark();}\n"
	"function zoom(b){show(b.x,b.w,b.d);note(true);}\n"
	"function reset(){zoom(events[event].root);}\n"
	"function flip(on){down=on!==down0;top_=-1;draw();}\n"
	"function palette(on){svg.classList.toggle('safe',on);}\n"
	/* The fragment of the address: event, zoom, search, icicle, colours. Each zoom is a step back. */
	"function state(){\n"
	"  const p=new URLSearchParams();\n"
	"  if(event!==first)p.set('e',event);\n"
	"  if(view.w<events[event].root.w)p.set('z',[view.x,view.w,view.d].join('_'));\n"
	"  if(pattern)p.set('s',pattern);\n"
	"  if(down!==down0)p.set('i',1);\n"
	"  if(svg.classList.contains('safe'))p.set('c',1);\n"
	"  return '#'+p;\n"
	"}\n"
	"function note(step){\n"
	"  const s=state();\n"
	"  if(s===(location.hash||'#'))return;\n"
	"  if(step)location.hash=s;else location.replace(s);\n"
	"}\n"
	"function restore(){\n"
	"  if(view&&state()===(location.hash||'#'))return;\n"
	"  const p=new URLSearchParams(location.hash.slice(1)),e=+(p.get('e')||first);\n"
	"  const z=(p.get('z')||'').split('_').map(Number);\n"
	"  choose(events[e]?e:first);\n"
	"  palette(p.get('c')==='1');\n"
	"  pattern=p.get('s');\n"
	"  $('search').value=pattern||'';\n"
	"  const b=boxes.find(o=>o.e===event&&o.x===z[0]&&o.w===z[1]&&o.d===z[2]);\n"
	"  const r=b||events[event].root;\n"
	"  view={x:r.x,w:r.w,d:r.d};\n"
	"  flip(p.get('i')==='1');\n"
	"  mark();\n"
	"}\n"
	"function go(b){\n"
	"  if(!b)return;\n"
	"  if(at&&at.g)at.g.classList.remove('at');\n"
	"  at=b;b.g.classList.add('at');b.g.scrollIntoView({block:'nearest'});\n"
	"  $('details').textContent=b.s;\n"
	"}\n"
	"function move(key){\n"
	"  const all=boxes.filter(b=>b.e===event&&b.g&&b.k!=='f'&&b.g.style.display!=='none');\n"
	"  if(!at||!all.includes(at)){go(all.find(b=>b.d===view.d));return;}\n"
	"  const c=at,inside=(p,q)=>p.x>=q.x&&p.x+p.w<=q.x+q.w;\n"
	"  if(key===(down?'ArrowUp':'ArrowDown'))go(all.find(b=>b.d===c.d-1&&inside(c,b)));\n"
	"  else if(key===(down?'ArrowDown':'ArrowUp'))\n"
	"    go(all.filter(b=>b.d===c.d+1&&inside(b,c)).sort((p,q)=>q.w-p.w)[0]);\n"
	"  else go(all.filter(b=>b.d===c.d&&(key==='ArrowLeft'?b.x<c.x:b.x>c.x))\n"
	"    .sort((p,q)=>Math.abs(p.x-c.x)-Math.abs(q.x-c.x))[0]);\n"
	"}\n"
	"function choose(i){\n"
	"  event=i;\n"
	"  events.forEach((e,j)=>e.g.style.display=j===i?'':'none');\n"
	"  document.querySelectorAll('.event').forEach((t,j)=>t.classList.toggle('chosen',j===i));\n"
	"  const r=events[i].root;\n"
	"  show(r.x,r.w,r.d);\n"
	"}\n"
	"function mark(){\n"
	"  let re=null;\n"
	"  if(pattern){try{re=new RegExp(pattern,'i');}catch(e){\n"
	"    re=new RegExp(pattern.replace(/[.*+?^${}()|[\\]\\\\]/g,'\\\\$&'),'i');}}\n"
	"  const hits=[];\n"
	"  for(const b of boxes){\n"
	"    b.hit=!!re&&b.e===event&&b.k!=='f'&&re.test(b.n);\n"
	"    if(b.g)b.g.classList.toggle('hit',b.hit);\n"
	"    if(!b.hit)continue;\n"
	"    const from=Math.max(b.x,view.x),to=Math.min(b.x+b.w,view.x+view.w);\n"
	"    if(to>from)hits.push([from,to]);\n"
	"  }\n"
	"  hits.sort((p,q)=>p[0]-q[0]);\n"
	"  let end=-1,sum=0;\n"
	"  for(const [from,to] of hits){sum+=Math.max(0,to-Math.max(from,end));end=Math.max(end,to);}\n"
	"  const out=events[event].out;\n"
	"  $('found').textContent=!re?'':'matched: '+(100*sum/view.w).toFixed(2)+' %'+\n"
	"    (out?' (frames from '+(100*out/events[event].root.w).toPrecision(1)+' % on)':'');\n"
	"}\n"
	"function search(text){pattern=text||null;mark();note(false);}\n"
	"function other(id){\n"
	"  if(id==='flip')flip(down===down0);else palette(!svg.classList.contains('safe'));\n"
	"  note(false);\n"
	"}\n"
	"svg.addEventListener('click',e=>{const g=e.target.closest&&e.target.closest('g.b');\n"
	"  if(g)zoom(g.box);else if(e.target.id==='reset')reset();\n"
	"  else if(e.target.classList.contains('event')){\n"
	"    choose(+e.target.getAttribute('data-e'));note(true);}\n"
	"  else if(e.target.classList.contains('tool'))other(e.target.id);});\n"
	"svg.addEventListener('mouseover',e=>{const g=e.target.closest&&e.target.closest('g.b');\n"
	"  $('details').textContent=g?g.box.s:'';});\n"
	"$('search').addEventListener('input',e=>search(e.target.value));\n"
	"window.addEventListener('keydown',e=>{\n"
	"  if((e.ctrlKey||e.metaKey)&&e.key==='f'){e.preventDefault();$('search').focus();}\n"
	"  if(e.key==='Escape'){$('search').value='';$('search').blur();search('');reset();}\n"
	"  if(e.target===$('search')||e.ctrlKey||e.metaKey||e.altKey)return;\n"
	"  if(e.key.startsWith('Arrow')){e.preventDefault();move(e.key);}\n"
	"  else if(e.key==='Enter'&&at)zoom(at);\n"
	"  else if(e.key==='Backspace')history.back();\n"
	"  else if(e.key==='/'){e.preventDefault();$('search').focus();}\n"
	"  else if(e.key==='i')other('flip');\n"
	"  else if(e.key==='c')other('safe');});\n"
	"window.addEventListener('resize',draw);\n"
	"window.addEventListener('hashchange',restore);\n"
	"restore();\n";

/* May XML have a character? U+FFFE and U+FFFF are none. */
static bool is_xml(const char *s, size_t size)
{
	return !utf8_is_control(s, size) && !(size == 3 && !memcmp(s, "\xef\xbf", 2) && (u8)s[2] >= 0xbe);
}

/* Append XML text or an attribute value of up to @max characters, invalid ones as '?'. */
static void put_xml(struct outbuf *o, const char *s, size_t max)
{
	size_t len;

	for (; *s && max; max--, s += len) {
		/* The NUL ends an incomplete character. */
		len = utf8_size(s, 4);
		if (*s == '&')
			outbuf_puts(o, "&amp;");
		else if (*s == '<')
			outbuf_puts(o, "&lt;");
		else if (*s == '>')
			outbuf_puts(o, "&gt;");
		else if (*s == '"')
			outbuf_puts(o, "&quot;");
		else if (!len || !is_xml(s, len))
			outbuf_putc(o, '?');
		else
			outbuf_write(o, s, len);
		len = len ?: 1;
	}
}

/* The number of characters, not bytes. */
static size_t xml_length(const char *s)
{
	size_t n = 0;

	for (; *s; s++)
		n += ((unsigned char)*s & 0xc0) != 0x80;
	return n;
}

/* A change of this share of an event has the full colour. */
#define FULL .05

/* Append the change of a box to its other numbers. */
static void put_change(const struct flame_picture *p, const struct flame_event *ev,
		       const struct flame_box *b, struct outbuf *o)
{
	if (p->difference && b->kind != 'f')
		outbuf_printf(o, ", %+.2f", 100.0 * ((double)b->total - b->before) / ev->total);
}

/* Red: more than before; blue: less; white: unchanged. Black text is readable on the darkest. */
static void put_fill(const struct flame_picture *p, const struct flame_event *ev,
		     const struct flame_box *b, struct outbuf *o)
{
	double change = ((double)b->total - b->before) / ev->total / FULL;
	int pale;

	if (!p->difference || !ev->total)
		return;
	change = change > 1 ? 1 : change < -1 ? -1 : change;
	pale = 245 - (int)(135 * (change < 0 ? -change : change));
	outbuf_printf(o, " style=\"fill:rgb(%d,%d,%d)\"", change < 0 ? pale : 245, pale,
		      change > 0 ? pale : 245);
}

/* Per cent of an event's total. The periods of a damaged recording may add up to more than 2^64. */
static double percent(u64 part, const struct flame_event *ev)
{
	double share = percent_of(part, ev->total);

	return share > 100 ? 100 : share;
}

static void put_box(const struct flame_picture *p, const struct flame_event *ev,
		    const struct flame_box *b, struct outbuf *o)
{
	double x = percent(b->start, ev), w = percent(b->total, ev);
	u32 y = TOP + (p->downwards ? b->depth : p->depth - b->depth) * BOX_HEIGHT;
	bool shaded = strchr("kuijo", b->kind);
	int shade = shaded ? hash_bytes(b->name, strlen(b->name)) & 3 : 0;
	int fit = (w / 100 * WIDTH - 6) / CHAR_WIDTH;

	outbuf_printf(o, "<g class=\"b\" data-x=\"%llu\" data-w=\"%llu\" data-d=\"%u\" data-k=\"%c\" data-n=\"",
		      b->start, b->total, b->depth, b->kind);
	put_xml(o, b->name, (size_t)-1);
	outbuf_puts(o, "\"><title>");
	put_xml(o, b->name, (size_t)-1);
	outbuf_printf(o, " (%u samples, %.2f %%", b->samples, w);
	put_change(p, ev, b, o);
	outbuf_puts(o, ")</title><rect");
	put_fill(p, ev, b, o);
	outbuf_printf(o, " class=\"%c%d\" x=\"%.4f%%\" y=\"%u\" "
		      "width=\"%.4f%%\" height=\"%u\"/><text dx=\"3\" x=\"%.4f%%\" y=\"%u\">",
		      b->kind, shade, x, y, w, BOX_HEIGHT - 1, x, y + 12);
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

static void put_number(struct outbuf *o, u64 v)
{
	char digits[16], *d = &digits[sizeof(digits)];

	do
		*--d = "0123456789abcdefghijklmnopqrstuvwxyz"[v % 36];
	while (v /= 36);
	outbuf_write(o, d, &digits[sizeof(digits)] - d);
}

/* The number of a hidden box's name, by kind and name pointer (names are interned). */
static u32 name_number(struct hash *names, const struct flame_box *b, bool *added)
{
	u64 *nr = hash_insert(names, (uintptr_t)b->name, b->kind, added);

	if (*added)
		*nr = names->nr - 1;
	return *nr;
}

static void put_hidden(const struct flame_picture *p, const struct flame_event *ev,
		       struct hash *names, struct outbuf *list, struct outbuf *o)
{
	bool any = false, added;
	u64 x = 0;
	u32 i, name;

	for (i = ev->first; i < ev->first + ev->nr; i++) {
		const struct flame_box *b = &p->boxes[i];

		if (!b->hidden)
			continue;
		outbuf_puts(o, any ? " " : "<metadata>");
		any = true;
		name = name_number(names, b, &added);
		if (added) {
			if (name)
				outbuf_putc(list, '\n');
			outbuf_putc(list, b->kind);
			put_xml(list, b->name, (size_t)-1);
		}
		put_number(o, b->depth);
		outbuf_putc(o, ',');
		put_number(o, b->start - x);
		outbuf_putc(o, ',');
		put_number(o, b->total);
		outbuf_putc(o, ',');
		put_number(o, b->samples);
		outbuf_putc(o, ',');
		put_number(o, name);
		if (p->difference) {
			outbuf_putc(o, ',');
			put_number(o, b->before);
		}
		x = b->start;
	}
	if (any)
		outbuf_puts(o, "</metadata>\n");
}

/* The event that is shown first */
static u32 main_event(const struct flame_picture *p)
{
	u32 i, most = 0;

	for (i = 1; i < p->nr_events; i++)
		if (p->events[i].samples > p->events[most].samples)
			most = i;
	return most;
}

static void put_events(const struct flame_picture *p, u32 shown, struct outbuf *o)
{
	_cleanup_hash_ struct hash names = { 0 };
	_cleanup_outbuf_ struct outbuf list = { 0 };
	u32 i, k;

	for (i = 0; i < p->nr_events; i++) {
		const struct flame_event *ev = &p->events[i];

		outbuf_printf(o, "<g class=\"e\" data-out=\"%llu\"%s>\n", ev->left_out,
			      i == shown ? "" : " style=\"display:none\"");
		for (k = ev->first; k < ev->first + ev->nr; k++)
			if (!p->boxes[k].hidden)
				put_box(p, ev, &p->boxes[k], o);
		put_hidden(p, ev, &names, &list, o);
		outbuf_puts(o, "</g>\n");
	}
	outbuf_puts(o, "<metadata id=\"names\">");
	outbuf_append(o, &list);
	outbuf_puts(o, "</metadata>\n");
}

/* The line of buttons: reset, and the events if there are several. */
static void put_choice(const struct flame_picture *p, u32 shown, struct outbuf *o)
{
	u32 i, x = 100;

	outbuf_puts(o, "<text id=\"reset\" x=\"10\" y=\"57\">reset zoom</text>\n");
	for (i = 0; p->nr_events > 1 && i < p->nr_events; i++) {
		const struct flame_event *ev = &p->events[i];

		outbuf_printf(o, "<text class=\"event%s\" data-e=\"%u\" x=\"%u\" y=\"57\">",
			      i == shown ? " chosen" : "", i, x);
		put_xml(o, ev->name, (size_t)-1);
		outbuf_printf(o, " (%u)</text>\n", ev->samples);
		x += (xml_length(ev->name) + 14) * CHAR_WIDTH;
	}
}

void flame_svg(const struct flame_picture *p, struct outbuf *o)
{
	static const struct { const char *class, *name; } legend[] = {
		{ "k0", "kernel" }, { "u0", "user" }, { "i0", "inlined" }, { "j0", "JIT, Python" }, { "o0", "off-CPU" },
		{ "m0", "user stack missing" }, { "f0", "too narrow to show: zoom in" },
	};
	u32 foot = TOP + (p->depth + 1) * BOX_HEIGHT, shown = main_event(p), i, x;
	bool off_cpu = false;

	outbuf_printf(o, "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n"
		      "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"100%%\" "
		      "height=\"%u\" style=\"min-width:600px\" data-top=\"%u\" "
		      "data-foot=\"%u\" data-depth=\"%u\" data-down=\"%d\" data-event=\"%u\">\n<title>",
		      foot + BOTTOM, TOP, BOTTOM, p->depth, p->downwards, shown);
	put_xml(o, p->title, (size_t)-1);
	outbuf_printf(o, "</title>\n<style>\n%s</style>\n", style);
	outbuf_puts(o, "<rect id=\"back\" width=\"100%\" height=\"100%\"/>\n"
		    "<text id=\"title\" x=\"10\" y=\"22\">");
	put_xml(o, p->title, (size_t)-1);
	outbuf_puts(o, "</text>\n<text id=\"sub\" x=\"10\" y=\"40\">");
	put_xml(o, p->subtitle, (size_t)-1);
	outbuf_puts(o, "</text>\n");
	put_choice(p, shown, o);
	outbuf_puts(o, "<text class=\"tool\" id=\"flip\" x=\"100%\" y=\"61\" dx=\"-104\">icicle (i)</text>\n"
		    "<text class=\"tool\" id=\"safe\" x=\"100%\" y=\"61\" dx=\"-8\">colours (c)</text>\n");
	outbuf_puts(o, "<text id=\"found\" x=\"100%\" y=\"46\" dx=\"-8\"/>\n"
		    "<svg x=\"100%\" overflow=\"visible\"><foreignObject x=\"-230\" y=\"10\" "
		    "width=\"222\" height=\"24\"><input xmlns=\"http://www.w3.org/1999/xhtml\" "
		    "id=\"search\" type=\"search\" placeholder=\"search (regular expression)\"/>"
		    "</foreignObject></svg>\n");
	put_events(p, shown, o);
	outbuf_printf(o, "<g id=\"foot\" transform=\"translate(0,%u)\">\n"
		      "<text id=\"details\" x=\"10\" y=\"%u\"> </text>\n", foot, BOTTOM - 26);
	for (i = 0; i < p->nr_events; i++)
		off_cpu |= p->events[i].off_cpu;
	if (p->difference)
		outbuf_printf(o, "<text class=\"legend\" x=\"10\" y=\"%d\">red: more than before, blue: less "
			      "(percentages of the event; full colour at %g)</text>\n", BOTTOM - 8, 100 * FULL);
	for (i = 0, x = 10; i < ARRAY_SIZE(legend) && !p->difference; i++) {
		if (*legend[i].class == 'o' && !off_cpu)
			continue;
		outbuf_printf(o, "<rect class=\"%s\" x=\"%u\" y=\"%u\" width=\"12\" height=\"12\"/>"
			      "<text class=\"legend\" x=\"%u\" y=\"%u\">%s</text>\n",
			      legend[i].class, x, BOTTOM - 18, x + 17, BOTTOM - 8, legend[i].name);
		x += 40 + strlen(legend[i].name) * 7;
	}
	outbuf_printf(o, "</g>\n<script><![CDATA[\n%s]]></script>\n</svg>\n", script);
}
