// SPDX-License-Identifier: GPL-2.0
'use strict';
const svg=document.documentElement,$=id=>document.getElementById(id),ns='http://www.w3.org/2000/svg';
const H=17,TOP=+svg.dataset.top,FOOT=+svg.dataset.foot,down0=svg.dataset.down==='1';
const depth=+svg.dataset.depth;
const events=[...document.querySelectorAll('g.e')].map(g=>({g:g,out:+g.getAttribute('data-out')}));
const boxes=[];
events.forEach((e,i)=>{
  for(const g of e.g.querySelectorAll('g.b'))boxes.push({e:i,g:g,r:g.querySelector('rect'),
    t:g.querySelector('text'),n:g.getAttribute('data-n'),k:g.getAttribute('data-k'),
    x:+g.getAttribute('data-x'),w:+g.getAttribute('data-w'),d:+g.getAttribute('data-d'),
    s:g.querySelector('title').textContent});
  e.root=boxes.find(b=>b.e===i);
  const m=e.g.querySelector('metadata');
  if(!m)return;
  const names=$('names').textContent.split('\n');
  let x=0;
  for(const one of m.textContent.split(' ')){
    const v=one.split(',').map(t=>parseInt(t,36)),name=names[v[4]],all=e.root.w;
    const change=v.length>5?(v[2]-v[5])/all:null,more=100*change;
    x+=v[1];
    boxes.push({e:i,n:name.slice(1),k:name[0],d:v[0],x:x,w:v[2],change:change,
      s:name.slice(1)+' ('+v[3]+' samples, '+(100*v[2]/all).toFixed(2)+' %'+
        (change===null?'':', '+(more<0?'':'+')+more.toFixed(2))+')'});
  }
});
const first=+svg.dataset.event;
let event=first,view=null,pattern=null,top_=-1,down=down0,at=null;
function element(b){
  const g=document.createElementNS(ns,'g');
  g.setAttribute('class','b');
  for(const n of ['title','rect','text'])g.appendChild(document.createElementNS(ns,n));
  [,b.r,b.t]=g.childNodes;
  g.firstChild.textContent=b.s;
  let h=0;
  for(let i=0;i<b.n.length;i++)h=(31*h+b.n.charCodeAt(i))>>>0;
  b.r.setAttribute('class',b.k+('kuijo'.includes(b.k)?h&3:0));
  if(b.change!==null){
    const c=Math.max(-1,Math.min(1,b.change/.05)),p=245-Math.floor(165*Math.abs(c));
    b.r.style.fill=`rgb(${c<0?p:245},${p},${c>0?p:245})`;
  }
  b.r.setAttribute('height',H-1);
  b.t.setAttribute('dx',3);
  b.g=g;
  g.box=b;
  if(b.hit)g.classList.add('hit');
  events[b.e].g.appendChild(g);
}
for(const b of boxes)if(b.g)b.g.box=b;
function draw(){
  const px=svg.clientWidth||svg.getBoundingClientRect().width||1200,seen=[];
  let most=Math.min(depth,Math.max(0,Math.floor((window.innerHeight-TOP-FOOT)/H)-1));
  for(const b of boxes){
    const up=b.d<view.d&&b.x<=view.x&&b.x+b.w>=view.x+view.w;
    const shown=b.e===event&&(up||(b.d>=view.d&&b.x>=view.x&&b.x+b.w<=view.x+view.w&&
      b.w/view.w*px>=.3));
    if(!shown){if(b.g)b.g.style.display='none';continue;}
    if(!b.g)element(b);
    b.up=up;
    most=Math.max(most,b.d);
    seen.push(b);
  }
  for(const b of seen){
    const left=b.up?0:(b.x-view.x)/view.w,width=b.up?1:b.w/view.w;
    const y=TOP+(down?b.d:most-b.d)*H,fit=Math.floor((width*px-6)/7);
    b.g.style.display='';
    b.g.classList.toggle('up',b.up);
    b.r.setAttribute('x',100*left+'%');b.r.setAttribute('width',100*width+'%');
    b.r.setAttribute('y',y);b.t.setAttribute('y',y+12);
    b.t.setAttribute('x',100*left+'%');
    b.t.textContent=fit<3?'':b.n.length<=fit?b.n:b.n.slice(0,fit-2)+'..';
  }
  if(most!==top_){
    top_=most;
    const foot=TOP+(most+1)*H;
    $('foot').setAttribute('transform','translate(0,'+foot+')');
    svg.setAttribute('height',foot+FOOT);
  }
  $('reset').style.visibility=view.w<events[event].root.w?'visible':'hidden';
}
function show(x,w,d){view={x:x,w:w,d:d};draw();mark();}
function zoom(b){show(b.x,b.w,b.d);note(true);}
function reset(){zoom(events[event].root);}
function flip(on){down=on!==down0;top_=-1;draw();}
function palette(on){svg.classList.toggle('safe',on);}
// The fragment of the address: event, zoom, search, icicle, colours. Each zoom is a step back.
function state(){
  const p=new URLSearchParams();
  if(event!==first)p.set('e',event);
  if(view.w<events[event].root.w)p.set('z',[view.x,view.w,view.d].join('_'));
  if(pattern)p.set('s',pattern);
  if(down!==down0)p.set('i',1);
  if(svg.classList.contains('safe'))p.set('c',1);
  return '#'+p;
}
function note(step){
  const s=state();
  if(s===(location.hash||'#'))return;
  if(step)location.hash=s;else location.replace(s);
}
function restore(){
  if(view&&state()===(location.hash||'#'))return;
  const p=new URLSearchParams(location.hash.slice(1)),e=+(p.get('e')||first);
  const z=(p.get('z')||'').split('_').map(Number);
  choose(events[e]?e:first);
  palette(p.get('c')==='1');
  pattern=p.get('s');
  $('search').value=pattern||'';
  const b=boxes.find(o=>o.e===event&&o.x===z[0]&&o.w===z[1]&&o.d===z[2]);
  const r=b||events[event].root;
  view={x:r.x,w:r.w,d:r.d};
  flip(p.get('i')==='1');
  mark();
}
function go(b){
  if(!b)return;
  if(at&&at.g)at.g.classList.remove('at');
  at=b;b.g.classList.add('at');b.g.scrollIntoView({block:'nearest'});
  $('details').textContent=b.s;
}
function move(key){
  const all=boxes.filter(b=>b.e===event&&b.g&&b.k!=='f'&&b.g.style.display!=='none');
  if(!at||!all.includes(at)){go(all.find(b=>b.d===view.d));return;}
  const c=at,inside=(p,q)=>p.x>=q.x&&p.x+p.w<=q.x+q.w;
  if(key===(down?'ArrowUp':'ArrowDown'))go(all.find(b=>b.d===c.d-1&&inside(c,b)));
  else if(key===(down?'ArrowDown':'ArrowUp'))
    go(all.filter(b=>b.d===c.d+1&&inside(b,c)).sort((p,q)=>q.w-p.w)[0]);
  else go(all.filter(b=>b.d===c.d&&(key==='ArrowLeft'?b.x<c.x:b.x>c.x))
    .sort((p,q)=>Math.abs(p.x-c.x)-Math.abs(q.x-c.x))[0]);
}
function choose(i){
  event=i;
  events.forEach((e,j)=>e.g.style.display=j===i?'':'none');
  document.querySelectorAll('.event').forEach((t,j)=>t.classList.toggle('chosen',j===i));
  const r=events[i].root;
  show(r.x,r.w,r.d);
}
function mark(){
  let re=null;
  if(pattern){try{re=new RegExp(pattern,'i');}catch(e){
    re=new RegExp(pattern.replace(/[.*+?^${}()|[\]\\]/g,'\\$&'),'i');}}
  const hits=[];
  for(const b of boxes){
    b.hit=!!re&&b.e===event&&b.k!=='f'&&re.test(b.n);
    if(b.g)b.g.classList.toggle('hit',b.hit);
    if(!b.hit)continue;
    const from=Math.max(b.x,view.x),to=Math.min(b.x+b.w,view.x+view.w);
    if(to>from)hits.push([from,to]);
  }
  hits.sort((p,q)=>p[0]-q[0]);
  let end=-1,sum=0;
  for(const [from,to] of hits){sum+=Math.max(0,to-Math.max(from,end));end=Math.max(end,to);}
  const out=events[event].out;
  $('found').textContent=!re?'':'matched: '+(100*sum/view.w).toFixed(2)+' %'+
    (out?' (frames from '+(100*out/events[event].root.w).toPrecision(1)+' % on)':'');
}
function search(text){pattern=text||null;mark();note(false);}
function other(id){
  if(id==='flip')flip(down===down0);else palette(!svg.classList.contains('safe'));
  note(false);
}
svg.addEventListener('click',e=>{const g=e.target.closest&&e.target.closest('g.b');
  if(g)zoom(g.box);else if(e.target.id==='reset')reset();
  else if(e.target.classList.contains('event')){
    choose(+e.target.getAttribute('data-e'));note(true);}
  else if(e.target.classList.contains('tool'))other(e.target.id);});
svg.addEventListener('mouseover',e=>{const g=e.target.closest&&e.target.closest('g.b');
  $('details').textContent=g?g.box.s:'';});
$('search').addEventListener('input',e=>search(e.target.value));
window.addEventListener('keydown',e=>{
  if((e.ctrlKey||e.metaKey)&&e.key==='f'){e.preventDefault();$('search').focus();}
  if(e.key==='Escape'){$('search').value='';$('search').blur();search('');reset();}
  if(e.target===$('search')||e.ctrlKey||e.metaKey||e.altKey)return;
  if(e.key.startsWith('Arrow')){e.preventDefault();move(e.key);}
  else if(e.key==='Enter'&&at)zoom(at);
  else if(e.key==='Backspace')history.back();
  else if(e.key==='/'){e.preventDefault();$('search').focus();}
  else if(e.key==='i')other('flip');
  else if(e.key==='c')other('safe');});
window.addEventListener('resize',draw);
window.addEventListener('hashchange',restore);
restore();
