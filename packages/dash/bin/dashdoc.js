#!/usr/bin/env node
import { launch } from '@msg/command-line/launch';
import { boundHeap } from './bounded-heap.js';

if (process.argv.includes('serve')) boundHeap();
launch('dashdoc', import.meta.url, '');
