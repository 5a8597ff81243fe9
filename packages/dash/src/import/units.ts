/** How a figure shows the values of a Grafana unit. */
export interface UnitForm {
  /** Behind a figure, and at the axis of a chart. */
  readonly unit?: string;
  readonly format?: 'percent' | 'integer';
  /** What dash does otherwise than Grafana. */
  readonly why?: string;
}

const UNSCALED = 'dash does not shorten numbers: the unit stands behind them';
const of = (unit: string): UnitForm => ({ unit, why: UNSCALED });

/** Units by their names in Grafana; any other name is shown as it is. */
const UNITS: Readonly<Record<string, UnitForm>> = {
  none: {},
  string: {},
  short: { why: 'dash does not shorten numbers' },
  percent: { unit: '%' },
  percentunit: { format: 'percent' },
  humidity: { unit: '%H' },
  dB: { unit: 'dB' },
  bool: { why: 'dash shows 0 and 1' },
  bool_yes_no: { why: 'dash shows 0 and 1' },
  bool_on_off: { why: 'dash shows 0 and 1' },
  s: of('s'),
  ms: of('ms'),
  µs: of('µs'),
  ns: of('ns'),
  m: of('min'),
  h: of('h'),
  d: of('d'),
  dtdurations: of('s'),
  dtdurationms: of('ms'),
  bytes: of('B'),
  decbytes: of('B'),
  bits: of('bit'),
  decbits: of('bit'),
  kbytes: of('KiB'),
  mbytes: of('MiB'),
  gbytes: of('GiB'),
  Bps: of('B/s'),
  binBps: of('B/s'),
  bps: of('bit/s'),
  binbps: of('bit/s'),
  pps: of('packets/s'),
  reqps: of('requests/s'),
  ops: of('ops/s'),
  cps: of('/s'),
  rps: of('reads/s'),
  wps: of('writes/s'),
  iops: of('I/O ops/s'),
  eps: of('events/s'),
  mps: of('messages/s'),
  opm: of('ops/min'),
  rpm: of('reads/min'),
  wpm: of('writes/min'),
  cpm: of('/min'),
  hertz: of('Hz'),
  celsius: of('°C'),
  fahrenheit: of('°F'),
  kelvin: of('K'),
  watt: of('W'),
  kwatt: of('kW'),
  watth: of('Wh'),
  kwatth: of('kWh'),
  volt: of('V'),
  amp: of('A'),
  currencyUSD: of('$'),
  currencyEUR: of('€'),
  currencyGBP: of('£'),
  currencyJPY: of('¥'),
};

/** How dash shows values of a unit of Grafana. */
export function unitForm(name: string): UnitForm {
  const form = Object.hasOwn(UNITS, name) ? UNITS[name] : undefined;
  if (form !== undefined) return form;
  if (name.startsWith('suffix:')) return { unit: name.slice('suffix:'.length).trim() };
  if (name.startsWith('prefix:')) {
    return { unit: name.slice('prefix:'.length).trim(), why: 'the unit stands behind the figure' };
  }
  return { unit: name, why: 'the name of the unit stands behind the figure' };
}
