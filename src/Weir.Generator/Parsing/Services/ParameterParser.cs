using Microsoft.CodeAnalysis;
using Weir.Generator.Model;
using Weir.Generator.Parsing.Types;

namespace Weir.Generator.Parsing.Services;

/// <summary>Decides what callers supply and where each value comes from.</summary>
internal sealed class ParameterParser(ValueParser values, Findings findings)
{
    private const int MostParameters = 64;

    /// <summary>Where a parameter's argument comes from.</summary>
    public static ArgumentRole RoleOf(IParameterSymbol parameter) => parameter switch
    {
        _ when parameter.Weir("FromServicesAttribute") is not null => ArgumentRole.Service,
        _ when parameter.Type.Is("System.Threading", "CancellationToken") => ArgumentRole.Token,
        _ when parameter.Type.IsWeir("OperationContext") => ArgumentRole.Context,
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
        foreach (var parameter in method.Parameters)
        {
            if (parameter.RefKind != RefKind.None)
            {
                Refuse(operation, parameter, $"it is passed by '{Keyword(parameter.RefKind)}', and only copies are passed to operations; pass it by value");
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
        return findings.Count > before ? null : bound.Select((one, index) => Model(one.Symbol, one.Value, sources[index])).ToEquatableArray();
    }

    private BoundParameter? Bound(string operation, IParameterSymbol parameter)
    {
        var item = TypeNames.Core(parameter.Type).ArgumentOf("System.Collections.Generic", "IAsyncEnumerable`1");
        var value = values.Parse(item ?? parameter.Type, out var failure);
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
            Refuse(operation, parameter, failure.Describe(TypeNames.ForPeople(TypeNames.Core(item ?? parameter.Type))));
        }

        return value is null ? null : new BoundParameter(parameter, value, item is not null);
    }

    private void CheckNames(string operation, List<BoundParameter> bound)
    {
        var names = new HashSet<string>(StringComparer.OrdinalIgnoreCase);
        foreach (var one in bound)
        {
            if (!names.Add(one.Symbol.Name))
            {
                Refuse(operation, one.Symbol, "another parameter has this name in another case, and case is ignored; rename one");
            }
        }
    }

    private static ParameterModel Model(IParameterSymbol symbol, ValueModel value, string source)
    {
        var literal = symbol.HasExplicitDefaultValue ? DefaultValues.Of(symbol) : null;
        var parameter = new ParameterModel(symbol.Name, value, source, IsOptional: false, literal, symbol.IsParams);
        return parameter.IsItems ? parameter : parameter with { IsOptional = parameter.IsTextList || literal is not null || value.IsNullable };
    }

    private void Refuse(string operation, IParameterSymbol parameter, string reason) =>
        findings.Report(WeirCodes.ParameterType, parameter, operation, parameter.Name, reason);

    private static string Keyword(RefKind kind) => kind switch
    {
        RefKind.Out => "out",
        RefKind.Ref => "ref",
        _ => "in",
    };
}
