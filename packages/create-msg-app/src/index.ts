export { type Choices, PAGES, type PageName, TEMPLATES, type TemplateName } from './choices.ts';
export { createApp } from './create-app.ts';
export { CreateError } from './create-error.ts';
