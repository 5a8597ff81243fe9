#!/usr/bin/env node
import { launch } from '@msg/command-line/launch';

launch('msg-gen', import.meta.url, 'msg-gen: ');
