/** The events that a machine is sent, read from the union type that lists them. */
import ts from 'typescript'

/** @param {readonly string[]} heads @param {readonly string[]} tails */
const joined = (heads, tails) => heads.flatMap((head) => tails.map((tail) => head + tail))

/**
 * String literals that a type stands for; template literal types are spelled out.
 * @param {ts.TypeNode} type @param {Map<string, ts.TypeNode>} aliases @returns {string[]}
 */
function literalsOf(type, aliases) {
  if (ts.isLiteralTypeNode(type) && ts.isStringLiteral(type.literal)) return [type.literal.text]
  if (ts.isUnionTypeNode(type)) return type.types.flatMap((one) => literalsOf(one, aliases))
  if (ts.isTemplateLiteralTypeNode(type))
    return type.templateSpans.reduce(
      (texts, span) => joined(texts, joined(literalsOf(span.type, aliases), [span.literal.text])),
      [type.head.text],
    )
  const alias =
    ts.isTypeReferenceNode(type) && ts.isIdentifier(type.typeName)
      ? aliases.get(type.typeName.text)
      : undefined
  return alias ? literalsOf(alias, aliases) : []
}

/**
 * Values of `type` in a union of object types, in the order of the source.
 * @param {ts.TypeNode} type @param {Map<string, ts.TypeNode>} aliases @returns {string[]}
 */
function typesOf(type, aliases) {
  if (ts.isUnionTypeNode(type) || ts.isIntersectionTypeNode(type))
    return type.types.flatMap((one) => typesOf(one, aliases))
  if (ts.isParenthesizedTypeNode(type)) return typesOf(type.type, aliases)
  if (ts.isTypeReferenceNode(type) && ts.isIdentifier(type.typeName)) {
    const alias = aliases.get(type.typeName.text)
    return alias ? typesOf(alias, aliases) : []
  }
  if (!ts.isTypeLiteralNode(type)) return []
  return type.members.flatMap((member) =>
    ts.isPropertySignature(member) && member.name.getText() === 'type' && member.type
      ? literalsOf(member.type, aliases)
      : [],
  )
}

/** @param {string} source a types file @param {string} name of the union */
export function eventTypes(source, name) {
  const file = ts.createSourceFile('types.ts', source, ts.ScriptTarget.Latest, true)
  const aliases = new Map(
    file.statements.filter(ts.isTypeAliasDeclaration).map((alias) => [alias.name.text, alias.type]),
  )
  const union = aliases.get(name)
  if (!union) throw new Error(`there is no type ${name}`)
  return [...new Set(typesOf(union, aliases))]
}
