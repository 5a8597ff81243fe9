import { defineConfig } from 'vite';

export default defineConfig({
  root: 'page',
  build: { outDir: '../dist', emptyOutDir: true },
});
