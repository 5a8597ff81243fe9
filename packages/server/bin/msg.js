#!/usr/bin/env node
import { launch } from '@msg/command-line/launch';

launch('msg', import.meta.url, 'error: MSG_INVALID_ARGUMENT: ');
