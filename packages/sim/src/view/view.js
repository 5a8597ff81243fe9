// The script of the page: a filter, and stepping through the events. The page reads without it.
const rows = [...document.querySelector('tbody').rows];
const marks = [...document.querySelectorAll('use[data-i]')];
const cursor = document.querySelector('#cursor');
const words = document.querySelector('#words');
const lane = document.querySelector('#lane');
let current = -1;

const laneOf = row => row.cells[1].textContent;
for (const name of document.querySelectorAll('.lanes li')) {
  lane.append(new Option(name.textContent, name.textContent));
}

function select(index) {
  rows[current]?.removeAttribute('aria-current');
  marks[current]?.classList.remove('on');
  current = index;
  const mark = marks[index];
  cursor.toggleAttribute('hidden', mark === undefined);
  document.querySelector('#count').textContent = counted();
  if (mark === undefined) return;
  rows[index].setAttribute('aria-current', 'true');
  rows[index].scrollIntoView({ block: 'nearest' });
  mark.classList.add('on');
  mark.parentNode.append(mark);
  for (const end of ['x1', 'x2']) cursor.setAttribute(end, mark.getAttribute('x'));
}

function counted() {
  const shown = rows.filter(row => !row.hidden);
  const at = shown.indexOf(rows[current]) + 1;
  return at > 0 ? `${at} of ${shown.length}` : `${shown.length} events`;
}

function step(by) {
  let next = current + by;
  while (rows[next]?.hidden) next += by;
  if (rows[next] !== undefined) select(next);
}

function filter() {
  const wanted = words.value.toLowerCase().split(' ').filter(Boolean);
  for (const [i, row] of rows.entries()) {
    const text = row.textContent.toLowerCase();
    const fits =
      wanted.every(word => text.includes(word)) && (lane.value === '' || lane.value === laneOf(row));
    row.hidden = !fits;
    marks[i].toggleAttribute('hidden', !fits);
  }
  const shown = rows.filter(row => !row.hidden);
  document.querySelector('.none').hidden = shown.length > 0;
  select(rows[current]?.hidden === false ? current : rows.indexOf(shown.at(-1)));
}

words.addEventListener('input', filter);
lane.addEventListener('change', filter);
document.querySelector('form').addEventListener('submit', event => event.preventDefault());
document.querySelector('#back').addEventListener('click', () => step(-1));
document.querySelector('#on').addEventListener('click', () => step(1));
document
  .querySelector('tbody')
  .addEventListener('click', event => select(rows.indexOf(event.target.closest('tr'))));
document.querySelector('.lanes svg').addEventListener('click', event => {
  const mark = event.target.closest('use');
  if (mark !== null) select(marks.indexOf(mark));
});
document.addEventListener('keydown', event => {
  if (event.target.matches('input, select') || event.altKey || event.ctrlKey || event.metaKey) return;
  const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  if (by === undefined) return;
  event.preventDefault();
  step(by);
});
select(rows.length - 1);
window.scrollTo(0, 0);
