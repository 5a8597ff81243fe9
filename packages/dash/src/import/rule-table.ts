/** What becomes of a value at the end of a path, or of everything below a path. */
export interface Rule {
  /** Names of neighbouring steps of the path; `*` is any. */
  readonly names: readonly string[];
  /** The values for which the rule holds; lists and objects as JSON text. */
  readonly values?: readonly unknown[];
  readonly why: string;
}

const AS_DASH = 'dash does so anyway';
const NOTHING = 'it asks for nothing';

/** Values that ask for what dash does anyway, or for nothing. */
export const PLAIN: readonly Rule[] = [
  { names: ['editable'], values: [true], why: AS_DASH },
  { names: ['liveNow'], values: [false], why: AS_DASH },
  { names: ['preload'], values: [false], why: AS_DASH },
  { names: ['graphTooltip'], values: [0], why: AS_DASH },
  { names: ['cursorSync'], values: ['Off'], why: AS_DASH },
  { names: ['timezone'], values: ['utc'], why: 'times are shown in UTC' },
  { names: ['links'], values: ['[]'], why: NOTHING },
  { names: ['tags'], values: ['[]'], why: NOTHING },
  { names: ['list'], values: ['[]'], why: NOTHING },
  { names: ['annotations'], values: ['[]', '{}'], why: NOTHING },
  { names: ['variables'], values: ['[]'], why: NOTHING },
  { names: ['panels'], values: ['[]'], why: NOTHING },
  { names: ['targets'], values: ['[]'], why: NOTHING },
  { names: ['queries'], values: ['[]'], why: NOTHING },
  { names: ['overrides'], values: ['[]'], why: NOTHING },
  { names: ['mappings'], values: ['[]'], why: NOTHING },
  { names: ['transformations'], values: ['[]'], why: NOTHING },
  { names: ['queryOptions'], values: ['{}'], why: NOTHING },
  { names: ['options'], values: ['{}', '[]'], why: NOTHING },
  { names: ['custom'], values: ['{}'], why: NOTHING },
  { names: ['defaults'], values: ['{}'], why: NOTHING },
  { names: ['fieldConfig'], values: ['{}'], why: NOTHING },
  { names: ['templating'], values: ['{}'], why: NOTHING },
  { names: ['timepicker'], values: ['{}'], why: NOTHING },
  { names: ['calcs'], values: ['[]'], why: NOTHING },
  { names: ['__elements'], values: ['{}', '[]'], why: NOTHING },
  { names: ['id'], values: [null], why: NOTHING },
  { names: ['description'], values: [''], why: NOTHING },
  { names: ['regex'], values: [''], why: NOTHING },
  { names: ['skipUrlSync'], values: [false], why: 'the page keeps every variable in its address' },
  { names: ['transparent'], values: [false], why: AS_DASH },
  { names: ['collapsed'], values: [false], why: 'rows are open' },
  { names: ['collapse'], values: [false], why: 'rows are open' },
  { names: ['repeat'], values: ['', null], why: NOTHING },
  { names: ['repeatDirection'], values: ['h', 'v'], why: NOTHING },
  { names: ['multi'], values: [false], why: 'one value is chosen' },
  { names: ['includeAll'], values: [false], why: 'no option stands for all' },
  { names: ['sort'], values: [0, 'disabled'], why: 'options stand in stored order' },
  { names: ['current'], values: ['{}'], why: NOTHING },
  { names: ['hideTimepicker'], values: [false], why: AS_DASH },
  { names: ['fiscalYearStartMonth'], values: [0], why: NOTHING },
  { names: ['weekStart'], values: [''], why: NOTHING },
  { names: ['refresh'], values: [0, 'never'], why: 'options stand in the document' },
  { names: ['interval'], values: [''], why: NOTHING },
  { names: ['auto'], values: [false], why: NOTHING },
  { names: ['hide'], values: [false, 0, '', 'dontHide'], why: AS_DASH },
  { names: ['hidden'], values: [false], why: AS_DASH },
  { names: ['instant'], values: [false], why: 'a query asks for a span unless it says otherwise' },
  { names: ['range'], values: [true], why: 'a query asks for a span unless it says otherwise' },
  { names: ['exemplar'], values: [false], why: AS_DASH },
  { names: ['editorMode'], values: ['code', 'builder'], why: 'only the editor of Grafana reads it' },
  { names: ['format'], values: ['time_series', 'table'], why: 'rows are the same for every item' },
  { names: ['legend', 'showLegend'], values: [true], why: 'a chart with several series has a legend' },
  { names: ['legend', 'show'], values: [true], why: 'a chart with several series has a legend' },
  { names: ['legend', 'displayMode'], values: ['list'], why: AS_DASH },
  { names: ['legend', 'placement'], values: ['bottom'], why: AS_DASH },
  { names: ['drawStyle'], values: ['line'], why: 'drawn as lines' },
  { names: ['stacking', 'mode'], values: ['none'], why: 'drawn without a stack' },
  { names: ['stacking', 'group'], values: ['A'], why: 'a chart has one stack' },
  { names: ['lineInterpolation'], values: ['linear'], why: AS_DASH },
  { names: ['fillOpacity'], values: [0], why: AS_DASH },
  { names: ['gradientMode'], values: ['none'], why: AS_DASH },
  { names: ['spanNulls'], values: [false], why: 'a line is broken at a gap' },
  { names: ['axisPlacement'], values: ['auto', 'left'], why: AS_DASH },
  { names: ['axisLabel'], values: [''], why: NOTHING },
  { names: ['axisCenteredZero'], values: [false], why: AS_DASH },
  { names: ['axisBorderShow'], values: [false], why: AS_DASH },
  { names: ['scaleDistribution', 'type'], values: ['linear'], why: AS_DASH },
  { names: ['thresholdsStyle', 'mode'], values: ['off'], why: 'the chart shows no thresholds' },
  { names: ['hideFrom', 'legend'], values: [false], why: AS_DASH },
  { names: ['hideFrom', 'tooltip'], values: [false], why: AS_DASH },
  { names: ['hideFrom', 'viz'], values: [false], why: AS_DASH },
  { names: ['insertNulls'], values: [false], why: AS_DASH },
  { names: ['color', 'mode'], values: ['palette-classic'], why: 'series take colours of a palette in order' },
  { names: ['reduceOptions', 'values'], values: [false], why: 'a figure is made of all rows' },
  { names: ['reduceOptions', 'fields'], values: [''], why: 'a figure is made of all rows' },
  { names: ['showHeader'], values: [true], why: 'a table has a header' },
  { names: ['textMode'], values: ['auto', 'value', 'value_and_name'], why: 'figure and title are shown' },
];

/** Values of any kind that ask for what dash does anyway. */
export const ANY_PLAIN: readonly Rule[] = [
  { names: ['current', 'text'], why: 'the control shows it' },
  { names: ['current', 'selected'], why: 'the default says what is chosen' },
  { names: ['element', 'name'], why: 'the block of this element stands here' },
  { names: ['auto_min'], why: NOTHING },
  { names: ['auto_count'], why: NOTHING },
];

/** Values that hold in another form. */
export const REARRANGED: readonly Rule[] = [
  { names: ['span'], why: 'an item spans columns of the grid' },
  { names: ['maxColumnCount'], why: 'the grid has 24 columns' },
  { names: ['columnWidthMode'], why: 'the grid has 24 columns' },
  { names: ['columnWidth'], why: 'the grid has 24 columns' },
  { names: ['rowHeightMode'], why: 'items span rows of the grid' },
  { names: ['rowHeight'], why: 'items span rows of the grid' },
];

/** What only the storage and the editor of Grafana read. */
export const STORED: readonly string[] = [
  'pluginVersion',
  'schemaVersion',
  'version',
  'revision',
  'iteration',
  'gnetId',
  'apiVersion',
  'kind',
  'metadata',
  'status',
  'meta',
  '__inputs',
  '__elements',
  '__requires',
  'refId',
  'id',
  'editorMode',
];

export const STORED_WHY = 'only Grafana reads it; nothing on the dashboard depends on it';

/** Parts of a file that are lost with everything in them. */
export const WHOLE: readonly Rule[] = [
  { names: ['annotations'], why: 'dash draws no annotations' },
  { names: ['alert'], why: 'dash has no alerts' },
  { names: ['repeat'], why: 'dash repeats no panels: copy the block for each value' },
  { names: ['conditionalRendering'], why: 'dash shows every item' },
  {
    names: ['transformations'],
    why: 'dash does not transform rows: let the query give them as they are shown',
  },
  { names: ['overrides'], why: 'dash has no settings for single series' },
  { names: ['mappings'], why: 'dash shows values as they are' },
  { names: ['links'], why: 'dash has no links of panels: write them in a markdown item' },
];
const LOOK = 'items of one type look alike; a theme sets the look of a block';

/** Reasons for what is lost, by a part of the path; the first that fits counts. */
export const LOST: readonly Rule[] = [
  { names: ['yaxes'], why: 'an axis fits its values' },
  { names: ['xaxis'], why: 'an axis fits its values' },
  { names: ['seriesOverrides'], why: 'dash has no settings for single series' },
  { names: ['linewidth'], why: LOOK },
  { names: ['fill'], why: LOOK },
  { names: ['pointradius'], why: LOOK },
  { names: ['nullPointMode'], why: 'a line is broken at a gap' },
  { names: ['transparent'], why: LOOK },
  { names: ['editable'], why: 'each client of the server may write' },
  { names: ['format'], why: 'rows are the same for every item' },
  { names: ['step'], why: 'the width of an item decides the step of its query' },
  { names: ['collapse'], why: 'a container is always open' },
  { names: ['collapsed'], why: 'a container is always open' },
  { names: ['repeatPanelId'], why: 'dash repeats no panels: copy the block for each value' },
  { names: ['maxPerRow'], why: 'dash repeats no panels: copy the block for each value' },
  { names: ['thresholds'], why: 'the item shows no thresholds' },
  { names: ['tooltip'], why: 'the crosshair of dash shows all series' },
  { names: ['legend'], why: 'the legend of dash shows names only' },
  { names: ['custom'], why: LOOK },
  { names: ['color'], why: LOOK },
  { names: ['defaults', 'min'], why: 'an axis fits its values' },
  { names: ['defaults', 'max'], why: 'an axis fits its values' },
  { names: ['graphMode'], why: 'a metric shows one figure' },
  { names: ['fieldConfig'], why: 'dash has no such setting of fields' },
  { names: ['reduceOptions'], why: 'a metric has one aggregate over all rows' },
  { names: ['options'], why: 'dash has no such option of panels' },
  { names: ['libraryPanel'], why: 'the panel is not in the file: export it with the panel inside' },
  { names: ['timeShift'], why: 'every query ends now' },
  { names: ['timepicker'], why: 'the page has its own choice of time' },
  { names: ['autoRefreshIntervals'], why: 'the page has its own choice of time' },
  { names: ['quickRanges'], why: 'the page has its own choice of time' },
  { names: ['interval'], why: 'the width of an item decides the step of its query' },
  { names: ['intervalMs'], why: 'the width of an item decides the step of its query' },
  { names: ['intervalFactor'], why: 'the width of an item decides the step of its query' },
  { names: ['maxDataPoints'], why: 'the width of an item decides the step of its query' },
  { names: ['selected'], why: 'the default says what is chosen' },
  { names: ['skipUrlSync'], why: 'the page keeps every variable in its address' },
  { names: ['allowCustomValue'], why: 'a control offers its options only' },
  { names: ['sort'], why: 'options stand in stored order' },
  { names: ['style'], why: 'each viewer chooses light or dark' },
  { names: ['timezone'], why: 'times are shown in UTC' },
  { names: ['weekStart'], why: 'times are shown in UTC' },
  { names: ['fiscalYearStartMonth'], why: 'times are shown in UTC' },
];
