using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Weir.Generator.Parsing.Types;

namespace Weir.Generator.Parsing.Services;

/// <summary>What an operation takes: a parameter of its method, or a member of a <see cref="ParameterGroups">group</see>.</summary>
internal sealed class ArgumentSymbol
{
    private ArgumentSymbol(ISymbol symbol, ITypeSymbol type)
    {
        Symbol = symbol;
        Type = type;
    }

    /// <summary>The parameter or the property: it has the attributes, and is the place of errors.</summary>
    public ISymbol Symbol { get; }

    public ITypeSymbol Type { get; }

    public string Name => Symbol.Name;

    public RefKind RefKind => (Symbol as IParameterSymbol)?.RefKind ?? RefKind.None;

    public bool IsParams => Symbol is IParameterSymbol { IsParams: true };

    /// <summary>The attributes that say where its value is: its own, or that of its group.</summary>
    public IEnumerable<SourceAttribute> Sources => SourceAttributes.All(Symbol).DefaultIfEmpty(GroupSource!).OfType<SourceAttribute>();

    /// <summary>The first of them; <c>null</c> without one.</summary>
    public SourceAttribute? Source => Sources.FirstOrDefault();

    /// <summary>Where the values of its group are; <c>null</c> where each member decides.</summary>
    private SourceAttribute? GroupSource { get; init; }

    /// <summary>Whether it is assigned to a new object, rather than passed to a constructor or a method.</summary>
    public bool IsAssigned => Symbol is IPropertySymbol;

    /// <summary>Whether the declaration has a default: one of a parameter, or a property's initialiser.</summary>
    public bool HasDefault { get; private init; }

    /// <summary>The default as a constant expression; <c>null</c> where there is none.</summary>
    public string? Default { get; private init; }

    /// <summary>The default as an expression that is no constant; <c>null</c> where there is none.</summary>
    public string? Initial { get; private init; }

    public static ArgumentSymbol Of(IParameterSymbol parameter, SourceAttribute? groupSource = null) => new(parameter, parameter.Type)
    {
        GroupSource = groupSource,
        HasDefault = parameter.HasExplicitDefaultValue,
        Default = parameter.HasExplicitDefaultValue ? DefaultValues.Of(parameter) : null,
    };

    /// <summary>A settable property of a class that has no other constructor than one without parameters.</summary>
    /// <param name="compilation">The assembly that is built: only of its own types the initialisers are known.</param>
    /// <param name="property">The property.</param>
    /// <param name="create">An expression that makes its class, and sets nothing.</param>
    /// <param name="groupSource">Where the values of the group are; <c>null</c> where each member decides.</param>
    public static ArgumentSymbol Of(Compilation compilation, IPropertySymbol property, string create, SourceAttribute? groupSource)
    {
        var initialiser = property.DeclaringSyntaxReferences.Select(static one => one.GetSyntax()).OfType<PropertyDeclarationSyntax>()
            .Select(static one => one.Initializer).FirstOrDefault(static one => one is not null);
        if (initialiser is null || property.IsRequired)
        {
            return new ArgumentSymbol(property, property.Type) { GroupSource = groupSource };
        }

        var known = compilation.ContainsSyntaxTree(initialiser.SyntaxTree) ? compilation.GetSemanticModel(initialiser.SyntaxTree).GetConstantValue(initialiser.Value) : default;
        if (known is { HasValue: true, Value: null } || initialiser.Value.IsKind(SyntaxKind.SuppressNullableWarningExpression))
        {
            // '= null' says what an annotation says; '= null!' satisfies the compiler.
            return new ArgumentSymbol(property, property.Type) { GroupSource = groupSource };
        }

        // A type of the application may make itself of a constant, which is no constant of its own then.
        var core = TypeNames.Core(property.Type);
        var constant = known is { HasValue: true, Value: { } value } && (core.SpecialType != SpecialType.None || core.TypeKind == TypeKind.Enum) ? DefaultValues.Of(property.Type, value) : null;
        return new ArgumentSymbol(property, property.Type)
        {
            GroupSource = groupSource,
            HasDefault = true,
            Default = constant,
            Initial = constant is null ? $"{create}.{Naming.Escape(property.Name)}" : null,
        };
    }
}
