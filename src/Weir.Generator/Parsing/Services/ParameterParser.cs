using Microsoft.CodeAnalysis;
using Weir.Generator.Model;
using Weir.Generator.Parsing.Types;
using Weir.Generator.Parsing.Validation;

namespace Weir.Generator.Parsing.Services;

/// <summary>Decides what callers supply and where each value comes from.</summary>
internal sealed class ParameterParser(ValueParser values, ValidationParser validation, Findings findings)
{
    private const int MostParameters = 64;

    /// <summary>Where a parameter's argument comes from.</summary>
    public static ArgumentRole RoleOf(IParameterSymbol parameter) => RoleOf(ArgumentSymbol.Of(parameter));

    /// <summary>Where an argument comes from.</summary>
    public static ArgumentRole RoleOf(ArgumentSymbol parameter) => parameter switch
    {
        _ when parameter.Symbol is IParameterSymbol symbol && ParameterGroups.IsGroup(symbol) => ArgumentRole.Group,
        _ when parameter.Source?.Source == SourceAttributes.Services => ArgumentRole.Service,
        _ when parameter.Type.Is("System.Threading", "CancellationToken") => ArgumentRole.Token,
        _ when parameter.Type.IsWeir("OperationContext") => ArgumentRole.Context,
        _ when parameter.Source is not null => ArgumentRole.Bound,
        _ when TypeNames.Core(parameter.Type).Is("System.Security.Claims", "ClaimsPrincipal") => ArgumentRole.Caller,
        _ when HostOnlyTypes.OfRequest(parameter.Type) is not null => ArgumentRole.Http,
        _ when ServiceTypes.IsService(parameter.Type) => ArgumentRole.Service,
        _ => ArgumentRole.Bound,
    };

    /// <summary>The parameters that callers supply; <c>null</c>, with errors reported, when a parameter cannot be bound.</summary>
    /// <param name="operation">Its name in messages.</param>
    /// <param name="method">The operation.</param>
    /// <param name="acceptsGet">Whether a request may have no body.</param>
    public EquatableArray<ParameterModel>? Parse(string operation, IMethodSymbol method, bool acceptsGet)
    {
        var before = findings.Count;
        var bound = new List<BoundParameter>();
        foreach (var group in method.Parameters.Where(ParameterGroups.IsGroup))
        {
            if (ParameterGroups.Refusal(group) is { } refusal)
            {
                Refuse(operation, ArgumentSymbol.Of(group), refusal);
            }
        }

        if (findings.Count > before)
        {
            // What a refused group contains would only be refused again.
            return null;
        }

        foreach (var parameter in ParameterGroups.Flat(findings.Compilation, method))
        {
            if (parameter.RefKind != RefKind.None)
            {
                Refuse(operation, parameter, $"it is passed by '{Keyword(parameter.RefKind)}', and only copies are passed to operations; pass it by value");
            }
            else if (TypeNames.Core(parameter.Type).Is("Microsoft.Extensions.Logging", "ILogger"))
            {
                Refuse(operation, parameter, $"it has no category, so no container supplies it; take ILogger<{method.ContainingType.Name}>");
            }
            else if (RoleOf(parameter) == ArgumentRole.Bound && Bound(operation, parameter) is { } one)
            {
                bound.Add(one);
            }
        }

        if (bound.Count > MostParameters)
        {
            findings.Report(WeirCodes.ServiceShape, method, operation, $"it has {bound.Count} parameters; at most {MostParameters} can be bound; take a record instead");
        }

        CheckNames(operation, bound);
        var sources = new BodyRules(acceptsGet, (symbol, reason) => Refuse(operation, symbol, reason)).Sources(bound);
        return findings.Count > before ? null : bound.Select((one, index) => Model(one, sources[index]) with
        {
            Validation = validation.Parse(one.Symbol.Symbol, one.Symbol.Type, $"{TypeNames.ForPeople(method.ContainingType)}.{method.Name}({one.Symbol.Name})"),
        }).ToEquatableArray();
    }

    private BoundParameter? Bound(string operation, ArgumentSymbol parameter)
    {
        if (HostOnlyTypes.AttachedSource(parameter.Type) is { } attached)
        {
            return Attached(operation, parameter, attached);
        }

        var item = TypeNames.Core(parameter.Type).ArgumentOf("System.Collections.Generic", "IAsyncEnumerable`1");
        var value = item is null && parameter.Source?.Source != "Body" ? values.ParseParameter(parameter.Type, out var failure) : values.Parse(item ?? parameter.Type, out failure);
        if (TypeNames.Core(parameter.Type).ArgumentOf("System.Threading.Channels", "ChannelReader`1") is { } read)
        {
            failure = new TypeFailure("", $"{TypeNames.ForPeople(parameter.Type)}, which cannot be sent to another process; take IAsyncEnumerable<{TypeNames.ForPeople(read)}>");
        }

        if (failure is { IsUnknown: true })
        {
            findings.Pass();
        }
        else if (failure is not null)
        {
            var service = item is null && Service(parameter) is not null ? "; or mark it [FromServices], if the container supplies it" : "";
            Refuse(operation, parameter, failure.Describe(TypeNames.ForPeople(TypeNames.Core(item ?? parameter.Type))) + service);
        }

        return value is null || !CheckSource(operation, parameter, value, item is not null) ? null : new BoundParameter(parameter, value, item is not null);
    }

    private BoundParameter? Attached(string operation, ArgumentSymbol parameter, string source)
    {
        var marked = parameter.Sources.ToList();
        var fitting = source == "File" ? "Form" : "Body";
        if (marked.FirstOrDefault(one => one.Source != fitting) is { } wrong)
        {
            Refuse(operation, parameter, $"{TypeNames.ForPeople(parameter.Type)} comes from {(source == "File" ? "a form" : "the request's body")}; remove {Attributes.Brackets(wrong.Attribute)}");
            return null;
        }

        if (source == "Stream" && (TypeNames.IsNullable(parameter.Type) || parameter.HasDefault))
        {
            Refuse(operation, parameter, "it is the request's body, which always exists and may be empty; remove the '?' and the default");
            return null;
        }

        return new BoundParameter(parameter, ValueParser.Opaque(parameter.Type), IsItems: false) { Attached = source };
    }

    // Whether the source that an attribute chooses can hold the value.
    private bool CheckSource(string operation, ArgumentSymbol parameter, ValueModel value, bool isItems)
    {
        var marked = parameter.Sources.ToList();
        if (marked.Count == 0)
        {
            return true;
        }

        var written = Attributes.Brackets(marked[0].Attribute);
        var type = TypeNames.ForPeople(parameter.Type);
        var refusal = marked[0] switch
        {
            _ when marked.Count > 1 => $"it has {written} and {Attributes.Brackets(marked[1].Attribute)}, and a value has one source; remove one",
            { Name: { } name } when name.Length == 0 || (marked[0].Source == "Header" && !name.All(IsHeaderCharacter)) => $"'{name}' cannot be the name of {(name.Length == 0 ? "a value" : "a header")}; change Name in {written}",
            { Source: "Body" } => BodyRefusal(marked[0].Attribute, parameter, value, written),
            _ when isItems => $"{type} is the request's body, item by item; remove {written}",
            { Source: "Route" } when value.Kind != ValueKind.Scalar => $"it is {type}, which a path cannot express; take a number, text or another single value",
            _ when !value.IsText => $"it is {type}, and {written} reads numbers, text and lists of them; take its members as parameters, or take it from the JSON body by removing {written}",
            _ => null,
        };
        if (refusal is not null)
        {
            Refuse(operation, parameter, refusal);
        }

        return refusal is null;
    }

    // EmptyBodyBehavior: 1 allows an absent body, 2 does not.
    private static string? BodyRefusal(AttributeData attribute, ArgumentSymbol parameter, ValueModel value, string written) => attribute.Named("EmptyBodyBehavior") switch
    {
        1 when !value.IsNullable && !parameter.HasDefault => $"{written} lets the body be empty, and {TypeNames.ForPeople(parameter.Type)} cannot be null; write {TypeNames.ForPeople(parameter.Type)}?",
        2 when value.IsNullable || parameter.HasDefault => $"{written} does not let the body be empty, but the parameter may be absent; remove its '?' and its default, or EmptyBodyBehavior",
        _ => null,
    };

    private static bool IsHeaderCharacter(char character) =>
        character is >= '0' and <= '9' or >= 'A' and <= 'Z' or >= 'a' and <= 'z' || "!#$%&'*+-.^_`|~".IndexOf(character) >= 0;

    // What makes an unmarked class look like a service.
    private static IParameterSymbol? Service(ArgumentSymbol parameter) =>
        parameter.Source is null && TypeNames.Core(parameter.Type) is INamedTypeSymbol { TypeKind: TypeKind.Class } type && !type.IsFramework() && ListTypes.ElementOf(type) is null
            ? ServiceTypes.TakenBy(type)
            : null;

    private void CheckNames(string operation, List<BoundParameter> bound)
    {
        var names = new HashSet<string>(StringComparer.OrdinalIgnoreCase);
        foreach (var one in bound)
        {
            if (!names.Add(one.Symbol.Name))
            {
                Refuse(operation, one.Symbol, "another parameter has this name in another case, and case is ignored; rename one");
            }
            else if (bound.TakeWhile(other => other != one).FirstOrDefault(other => IsSameValue(one, other)) is { } same)
            {
                Refuse(operation, one.Symbol, $"callers would write '{one.WireName}' for '{same.Symbol.Name}' too; rename one");
            }
        }
    }

    // An unmarked value may be in the path, the query or a form.
    private static bool IsSameValue(BoundParameter one, BoundParameter other) =>
        string.Equals(one.WireName, other.WireName, StringComparison.OrdinalIgnoreCase)
        && (one.Marked == other.Marked || (one.Marked ?? other.Marked) switch
        {
            "Header" or "Body" => false,
            _ => one.Marked is null || other.Marked is null,
        });

    private static ParameterModel Model(BoundParameter bound, string source)
    {
        var (symbol, value) = (bound.Symbol, bound.Value);
        var parameter = new ParameterModel(symbol.Name, value, source, IsOptional: false, symbol.Default, symbol.IsParams)
        {
            WireName = bound.WireName,
            IsMarked = bound.Marked is not null,
            Initial = symbol.Initial,
        };
        return parameter.IsItems ? parameter : parameter with { IsOptional = parameter.IsTextList || symbol.Default is not null || symbol.Initial is not null || value.IsNullable };
    }

    private void Refuse(string operation, ArgumentSymbol parameter, string reason) =>
        findings.Report(WeirCodes.ParameterType, parameter.Symbol, operation, parameter.Name, reason);

    private static string Keyword(RefKind kind) => kind switch
    {
        RefKind.Out => "out",
        RefKind.Ref => "ref",
        _ => "in",
    };
}
