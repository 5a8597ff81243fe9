#!/usr/bin/env node
import { launch } from '@msg/command-line/launch';

launch('dashdoc', import.meta.url, '');
