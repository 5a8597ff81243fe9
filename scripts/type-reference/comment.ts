import {
  type DocCodeSpan,
  type DocComment,
  type DocErrorText,
  type DocEscapedText,
  DocExcerpt,
  type DocFencedCode,
  type DocHtmlEndTag,
  type DocHtmlStartTag,
  type DocLinkTag,
  type DocNode,
  DocNodeKind,
  type DocPlainText,
} from '@microsoft/tsdoc';

/** Where a name that a comment or declaration mentions is described: its address, undefined when nowhere. */
export type AddressOf = (name: string) => string | undefined;

/** Text outside of code: what HTML or a template would take for its own stays text. */
export function plainText(text: string): string {
  return text.replaceAll('<', '&lt;').replaceAll('{{', '{&#123;');
}

/** A name as code, linked when it is described somewhere. */
export function linkedName(name: string, addressOf: AddressOf): string {
  const address = addressOf(name);
  return address === undefined ? `\`${name}\`` : `[\`${name}\`](${address})`;
}

/** The name behind `{@link Foo.bar}`. */
function targetOf({ codeDestination, urlDestination, linkText }: DocLinkTag): string {
  const parts = codeDestination?.memberReferences.map(({ memberIdentifier }) => memberIdentifier?.identifier);
  return linkText ?? parts?.join('.') ?? urlDestination ?? '';
}

function textOf(node: DocNode, addressOf: AddressOf): string {
  switch (node.kind) {
    case DocNodeKind.PlainText:
      return plainText((node as DocPlainText).text);
    case DocNodeKind.SoftBreak:
      return '\n';
    case DocNodeKind.CodeSpan:
      return `\`${(node as DocCodeSpan).code}\``;
    case DocNodeKind.EscapedText:
      return plainText((node as DocEscapedText).decodedText);
    case DocNodeKind.ErrorText:
      return plainText((node as DocErrorText).text);
    case DocNodeKind.HtmlStartTag:
    case DocNodeKind.HtmlEndTag:
      return plainText((node as DocHtmlStartTag | DocHtmlEndTag).emitAsHtml());
    case DocNodeKind.FencedCode: {
      const { language, code } = node as DocFencedCode;
      return `\n\`\`\`${language}\n${code}\`\`\`\n`;
    }
    case DocNodeKind.LinkTag: {
      const [owner = '', ...members] = targetOf(node as DocLinkTag).split('.');
      const address = addressOf(owner);
      const name = `\`${[owner, ...members].join('.')}\``;
      return address === undefined ? name : `[${name}](${address})`;
    }
    default:
      if (node instanceof DocExcerpt) return '';
      return node
        .getChildNodes()
        .map(child => textOf(child, addressOf))
        .join('');
  }
}

/** Part of a comment as Markdown in one paragraph or more. */
export const markdownOf = (node: DocNode, addressOf: AddressOf): string =>
  textOf(node, addressOf)
    .replaceAll(/[ \t]+\n/g, '\n')
    .trim();

/** The blocks of a comment behind its text, as rows of a list: parameters, result, errors. */
export function detailsOf(comment: DocComment, addressOf: AddressOf): string[] {
  const text = (node: DocNode): string => markdownOf(node, addressOf).replaceAll(/\s+/g, ' ');
  const parameters = comment.params.blocks.map(
    block => `- \`${block.parameterName}\`: ${text(block.content)}`,
  );
  const result =
    comment.returnsBlock === undefined ? [] : [`- Returns ${text(comment.returnsBlock.content)}`];
  const others = comment.customBlocks.map(block => {
    const tag = block.blockTag.tagName.slice(1);
    return `- ${tag[0]?.toUpperCase()}${tag.slice(1)} ${text(block.content)}`;
  });
  return [...parameters, ...result, ...others];
}
