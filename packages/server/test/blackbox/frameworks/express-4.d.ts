// The older major has no types of its own here: what the test uses is alike in both.
declare module 'express-4' {
  import express from 'express';
  // biome-ignore lint/style/noDefaultExport: the package has one
  export default express;
}
