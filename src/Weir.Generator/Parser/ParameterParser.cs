using Microsoft.CodeAnalysis;
using Weir.Generator.Model;

namespace Weir.Generator.Parser;

/// <summary>Decides what callers fill and where each value comes from.</summary>
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

    /// <summary>What callers fill; <c>null</c>, with errors reported, when a parameter cannot be bound.</summary>
    public EquatableArray<ParameterModel>? Parse(string operation, IMethodSymbol method)
    {
        var before = findings.Count;
        var bound = new List<(IParameterSymbol Symbol, ValueModel Value)>();
        foreach (var parameter in method.Parameters)
        {
            if (parameter.RefKind != RefKind.None)
            {
                Refuse(operation, parameter, $"it is passed by '{Keyword(parameter.RefKind)}', and only copies travel; pass it by value");
            }
            else if (RoleOf(parameter) == ArgumentRole.Bound && Value(operation, parameter) is { } value)
            {
                bound.Add((parameter, value));
            }
        }

        if (bound.Count > MostParameters)
        {
            findings.Report(WeirCodes.ServiceShape, method, operation, $"it has {bound.Count} parameters; at most {MostParameters} are bound, so take a record");
        }

        CheckNames(operation, bound);
        var sources = Sources(operation, bound);
        return findings.Count > before ? null : bound.Select((one, index) => Model(one.Symbol, one.Value, sources[index])).ToEquatableArray();
    }

    private ValueModel? Value(string operation, IParameterSymbol parameter)
    {
        var value = values.Parse(parameter.Type, out var failure);
        if (failure is { IsUnknown: true })
        {
            findings.Pass();
        }
        else if (failure is not null)
        {
            Refuse(operation, parameter, failure.Describe(TypeNames.ForPeople(TypeNames.Core(parameter.Type))));
        }

        return value;
    }

    private void CheckNames(string operation, List<(IParameterSymbol Symbol, ValueModel Value)> bound)
    {
        var names = new HashSet<string>(StringComparer.OrdinalIgnoreCase);
        foreach (var (symbol, _) in bound)
        {
            if (!names.Add(symbol.Name))
            {
                Refuse(operation, symbol, "another parameter has this name in another case, and callers may write any; rename one");
            }
        }
    }

    // Bytes are the body as it is; one object is the JSON body; several objects are members of it.
    private string[] Sources(string operation, List<(IParameterSymbol Symbol, ValueModel Value)> bound)
    {
        var raw = bound.FindAll(static one => one.Value.IsBytes);
        var json = bound.FindAll(static one => !one.Value.IsBytes && !one.Value.IsText);
        foreach (var (symbol, _) in raw.Skip(1))
        {
            Refuse(operation, symbol, $"'{raw[0].Symbol.Name}' is the request's body already; take one parameter of bytes, or a record with both");
        }

        foreach (var (symbol, _) in raw.Count > 0 ? json : [])
        {
            Refuse(operation, symbol, $"it needs JSON in the request's body, which is '{raw[0].Symbol.Name}'; take a record with both");
        }

        return bound.ConvertAll(one => one.Value.IsBytes ? "Raw" : json.Count == 1 && json[0].Symbol.Equals(one.Symbol, SymbolEqualityComparer.Default) ? "Body" : "Value").ToArray();
    }

    private static ParameterModel Model(IParameterSymbol symbol, ValueModel value, string source)
    {
        var literal = symbol.HasExplicitDefaultValue ? DefaultValues.Of(symbol) : null;
        var isTextList = value is { Kind: ValueKind.List, IsText: true };
        return new ParameterModel(symbol.Name, value, source, isTextList || literal is not null || value.IsNullable, literal, symbol.IsParams);
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
