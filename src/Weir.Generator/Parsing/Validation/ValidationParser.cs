using Microsoft.CodeAnalysis;
using Weir.Generator.Model;
using Weir.Generator.Parsing.Metadata;
using Weir.Generator.Parsing.Types;

namespace Weir.Generator.Parsing.Validation;

/// <summary>
/// Finds what is evaluated of the arguments of a service's operations: the attributes of parameters, and of everything that their values
/// contain, in whatever assembly it is declared. One per service; each type is parsed once.
/// </summary>
internal sealed class ValidationParser(Compilation compilation, Findings findings, CancellationToken cancellationToken)
{
    private readonly Dictionary<string, Node> _nodes = [];

    /// <summary>The types found so far that need a generated class.</summary>
    public IEnumerable<TypeModel> Types => _nodes.Values.Where(IsNeeded).Select(Model);

    /// <summary>What is evaluated of a parameter that callers supply; <c>null</c> for nothing.</summary>
    /// <param name="parameter">The parameter, or a member of a group of them.</param>
    /// <param name="type">Its type.</param>
    /// <param name="owner">The parameter in messages.</param>
    public ValidationModel? Parse(ISymbol parameter, ITypeSymbol type, string owner)
    {
        if (ValidationRules.IsSkipped(parameter))
        {
            return null;
        }

        var item = TypeNames.Core(type).ArgumentOf("System.Collections.Generic", "IAsyncEnumerable`1");
        if (item is not null)
        {
            foreach (var attribute in parameter.GetAttributes().Where(ValidationRules.IsValidation))
            {
                Refuse(attribute, parameter, owner, "the items arrive while the operation runs; put attributes on the members of the item");
            }
        }

        var member = Parse(parameter, owner, item ?? type, [parameter], hasAttributes: item is null);
        return Model(member);
    }

    private Member Parse(ISymbol symbol, string owner, ITypeSymbol type, IReadOnlyList<ISymbol> annotated, bool hasAttributes = true)
    {
        var attributes = hasAttributes ? Attributes(annotated, owner, type) : [];
        var displayName = ValidationRules.DisplayName(annotated, symbol.Name, out var refused);
        if (refused is not null && attributes.Count > 0)
        {
            Refuse(refused, symbol, owner, "it reads the name by reflection; write the text as Name, without ResourceType");
        }

        return new Member(symbol, displayName, attributes, Visit(type));
    }

    // The nearest declaration first; an attribute there replaces the one of the same class that is inherited.
    private List<ValidationAttributeModel> Attributes(IReadOnlyList<ISymbol> symbols, string owner, ITypeSymbol? value)
    {
        var found = new List<AttributeData>();
        foreach (var symbol in symbols)
        {
            var inherited = found.Select(static one => one.AttributeClass).ToList();
            foreach (var attribute in symbol.GetAttributes().Where(ValidationRules.IsValidation))
            {
                if (inherited.Contains(attribute.AttributeClass, SymbolEqualityComparer.Default))
                {
                    continue;
                }

                if (ValidationRules.Refusal(compilation, attribute, value) is { } reason)
                {
                    Refuse(attribute, symbol, owner, reason);
                }
                else
                {
                    found.Add(attribute);
                }
            }
        }

        return found.OrderBy(static one => one.AttributeClass!.IsOrImplements(ValidationRules.Annotations, "RequiredAttribute") ? 0 : 1)
            .Select(static one => new ValidationAttributeModel(AttributeCode.Create(one), ValidationRules.ReadsLength(one)))
            .ToList();
    }

    /// <summary>The objects in a value of a type; <c>null</c> where it can contain none.</summary>
    private Shape? Visit(ITypeSymbol declared)
    {
        cancellationToken.ThrowIfCancellationRequested();
        var type = TypeNames.Core(declared);
        if (DictionaryOf(type) is { } dictionary)
        {
            return Visit(dictionary.TypeArguments[1]) is { } value ? new DictionaryShape(TypeNames.ForCode(dictionary.TypeArguments[0]), TypeNames.ForCode(dictionary.TypeArguments[1]), value) : null;
        }

        if (ElementOf(type) is { } element)
        {
            return Visit(element) is { } item ? new ListShape(TypeNames.ForCode(element), type.OriginalDefinition.Is("System.Collections.Immutable", "ImmutableArray`1"), item) : null;
        }

        return type is INamedTypeSymbol { TypeKind: TypeKind.Class or TypeKind.Struct or TypeKind.Interface } named
            && (!named.IsFramework() || named.OriginalDefinition.Is("System.Collections.Generic", "KeyValuePair`2"))
            && !ValidationRules.IsSkipped(named)
            ? new ObjectShape(NodeOf(named), TypeNames.IsNullable(declared) && named.IsValueType)
            : null;
    }

    private Node NodeOf(INamedTypeSymbol type)
    {
        var key = TypeNames.ForCode(type);
        if (_nodes.TryGetValue(key, out var node))
        {
            return node;
        }

        _nodes[key] = node = new Node(type, key);
        var owner = TypeNames.ForPeople(type);
        var levels = type.SelfAndBases().DefaultIfEmpty(type).ToList();
        node.DisplayName = ValidationRules.DisplayName(levels, type.Name, out _);
        node.Attributes = Attributes(levels, owner, value: null);
        node.IsValidatable = type.AllInterfaces.Any(static one => one.Is(ValidationRules.Annotations, "IValidatableObject"));
        node.Members = Members(type, levels).ToList();
        node.Derived = Derived(type).Select(NodeOf).ToList();
        return node;
    }

    private IEnumerable<Member> Members(INamedTypeSymbol type, List<INamedTypeSymbol> levels)
    {
        var parameters = ConstructorParameters(type);
        var seen = new HashSet<string>();
        foreach (var property in levels.SelectMany(static level => level.GetMembers()).Where(static one => !one.IsStatic))
        {
            var owner = $"{TypeNames.ForPeople(property.ContainingType)}.{property.Name}";
            if (property is not IPropertySymbol { IsIndexer: false, DeclaredAccessibility: Accessibility.Public, GetMethod.DeclaredAccessibility: Accessibility.Public } member)
            {
                RefuseHidden(property, owner);
            }
            else if (seen.Add(member.Name) && !ObjectParser.IsUnread(member) && !ValidationRules.IsSkipped(member))
            {
                var declarations = new List<ISymbol>(Overridden(member));
                declarations.AddRange(parameters.Where(one => ObjectConstructor.Matches(one, member)));
                yield return Parse(member, owner, member.Type, declarations);
            }
        }

        foreach (var parameter in parameters.Where(one => !seen.Contains(one.Name, StringComparer.OrdinalIgnoreCase)))
        {
            foreach (var attribute in parameter.GetAttributes().Where(ValidationRules.IsValidation))
            {
                Refuse(attribute, parameter, $"{TypeNames.ForPeople(type)}({parameter.Name})", "no public property has the parameter's name; put the attribute on a property");
            }
        }
    }

    // Validator sees public properties only, and so does generated code.
    private void RefuseHidden(ISymbol member, string owner)
    {
        if (member is IFieldSymbol { IsImplicitlyDeclared: false } or IPropertySymbol)
        {
            foreach (var attribute in member.GetAttributes().Where(ValidationRules.IsValidation))
            {
                Refuse(attribute, member, owner, "only public properties are validated; make it a public property");
            }
        }
    }

    // The primary constructor of a record, or the one that makes the object from JSON: its parameters have the attributes of its properties.
    private static IParameterSymbol[] ConstructorParameters(INamedTypeSymbol type) =>
        type.InstanceConstructors.Where(static one => one is { DeclaredAccessibility: Accessibility.Public })
            .OrderByDescending(static one => one.Of("System.Text.Json.Serialization", "JsonConstructorAttribute") is not null)
            .ThenByDescending(static one => one.Parameters.Length)
            .FirstOrDefault()?.Parameters.ToArray() ?? [];

    private static IEnumerable<IPropertySymbol> Overridden(IPropertySymbol property)
    {
        for (var current = property; current is not null; current = current.OverriddenProperty)
        {
            yield return current;
        }
    }

    // What callers may send in place of the type.
    private static IEnumerable<INamedTypeSymbol> Derived(INamedTypeSymbol type) =>
        type.GetAttributes().Where(static one => one.AttributeClass.Is("System.Text.Json.Serialization", "JsonDerivedTypeAttribute"))
            .Select(static one => one.Type())
            .Where(one => one is not null && !SymbolEqualityComparer.Default.Equals(one, type))
            .Select(static one => one!)
            .OrderByDescending(static one => one.SelfAndBases().Count());

    private static INamedTypeSymbol? DictionaryOf(ITypeSymbol type) =>
        Interfaces(type).FirstOrDefault(static one => one.OriginalDefinition.Is("System.Collections.Generic", "IReadOnlyDictionary`2") || one.OriginalDefinition.Is("System.Collections.Generic", "IDictionary`2"));

    private static ITypeSymbol? ElementOf(ITypeSymbol type) => type switch
    {
        { SpecialType: SpecialType.System_String } => null,
        IArrayTypeSymbol array => array.Rank == 1 ? array.ElementType : null,
        _ => Interfaces(type).Select(static one => one.ArgumentOf("System.Collections.Generic", "IEnumerable`1")).FirstOrDefault(static one => one is not null),
    };

    private static IEnumerable<INamedTypeSymbol> Interfaces(ITypeSymbol type) =>
        type is INamedTypeSymbol { TypeKind: TypeKind.Interface } self ? type.AllInterfaces.Prepend(self) : type.AllInterfaces;

    private void Refuse(AttributeData attribute, ISymbol symbol, string owner, string reason) =>
        findings.Report(WeirCodes.ValidationNotSupported, attribute.Place(symbol), owner, Parsing.Attributes.Brackets(attribute), reason);

    // A type may refer to itself, so the types are connected first, and what needs a class is found afterwards.
    private static bool IsNeeded(Node node)
    {
        if (node.IsNeeded is { } known)
        {
            return known;
        }

        var reached = new HashSet<Node> { node };
        var open = new Stack<Node>(reached);
        while (open.Count > 0)
        {
            var one = open.Pop();
            if (one.HasOwn || one.IsNeeded == true)
            {
                node.IsNeeded = true;
                return true;
            }

            foreach (var next in one.Members.Select(static member => Inner(member.Shape)).Concat(one.Derived))
            {
                if (next is not null && reached.Add(next))
                {
                    open.Push(next);
                }
            }
        }

        node.IsNeeded = false;
        return false;
    }

    private static Node? Inner(Shape? shape) => shape switch
    {
        ObjectShape one => one.Node,
        ListShape list => Inner(list.Element),
        DictionaryShape dictionary => Inner(dictionary.Element),
        _ => null,
    };

    private static ValidationModel? Model(Member member)
    {
        var inside = Model(member.Shape);
        return member.Attributes.Count > 0 || inside is not null ? new ValidationModel(member.DisplayName, member.Attributes.ToEquatableArray(), inside) : null;
    }

    private static ValidatedShape? Model(Shape? shape) => shape switch
    {
        ObjectShape one => IsNeeded(one.Node) ? new ValidatedObject(one.Node.Validator, one.IsNullableValue) : null,
        ListShape list => Model(list.Element) is { } element ? new ValidatedList(list.Item, list.IsImmutableArray, element) : null,
        DictionaryShape dictionary => Model(dictionary.Element) is { } element ? new ValidatedDictionary(dictionary.Key, dictionary.Value, element) : null,
        _ => null,
    };

    private static TypeModel Model(Node node) => new ValidatorModel(
        node.Type,
        node.Validator,
        node.DisplayName,
        node.Symbol.IsValueType,
        node.IsValidatable,
        node.Attributes.ToEquatableArray(),
        node.Members.Select(static member => (member.Symbol, Validation: Model(member))).Where(static one => one.Validation is not null)
            .Select(static one => new ValidatedMember(one.Symbol.Name, JsonName(one.Symbol), one.Validation!)).ToEquatableArray(),
        node.Members.Select(static member => new MemberName(member.Symbol.Name, JsonName(member.Symbol))).ToEquatableArray(),
        node.Derived.Where(IsNeeded).Select(static one => new DerivedValidator(one.Type, one.Validator)).ToEquatableArray());

    private static string JsonName(ISymbol member) =>
        member.Of("System.Text.Json.Serialization", "JsonPropertyNameAttribute")?.Text() ?? Naming.Camel(member.Name);

    private sealed class Node(INamedTypeSymbol symbol, string type)
    {
        public INamedTypeSymbol Symbol => symbol;

        public string Type => type;

        public string Validator { get; } = Naming.Identifier(type.Substring("global::".Length)) + "Validator";

        public string DisplayName { get; set; } = "";

        public bool IsValidatable { get; set; }

        public List<ValidationAttributeModel> Attributes { get; set; } = [];

        public List<Member> Members { get; set; } = [];

        public List<Node> Derived { get; set; } = [];

        public bool? IsNeeded { get; set; }

        /// <summary>Whether something is evaluated here, and not only inside a member.</summary>
        public bool HasOwn => IsValidatable || Attributes.Count > 0 || Members.Any(static one => one.Attributes.Count > 0);
    }

    private sealed record Member(ISymbol Symbol, string DisplayName, List<ValidationAttributeModel> Attributes, Shape? Shape);

    private abstract record Shape;

    private sealed record ObjectShape(Node Node, bool IsNullableValue) : Shape;

    private sealed record ListShape(string Item, bool IsImmutableArray, Shape Element) : Shape;

    private sealed record DictionaryShape(string Key, string Value, Shape Element) : Shape;
}
