/** Colours that a diagram may have, as the light theme has them, and the roles of the design tokens. */
export const DIAGRAM_ROLES: Readonly<Record<string, string>> = {
  '#1a1b19': '--ink',
  '#484a45': '--ink-2',
  '#62645e': '--ink-3',
  '#ffffff': '--surface',
  '#f1f1ed': '--sunken',
  '#868880': '--line-control',
  '#f7f7f5': '--canvas',
  // What mermaid gives no colour.
  '#000000': '--ink-3',
};
