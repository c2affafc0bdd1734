using System.Globalization;
using Microsoft.CodeAnalysis;
using Weir.Generator.Model;

namespace Weir.Generator.Parsing.Services;

/// <summary>How calls of an operation marked <c>[Job]</c> run as jobs, and which operations cannot be jobs.</summary>
internal static class JobRules
{
    /// <summary>The attribute.</summary>
    public const string Attribute = "JobAttribute";

    private const int MostAttempts = 1000;
    private const int LongestKind = 200;

    /// <summary>What the attribute says; <c>null</c> without one, and, reported, where it does not fit.</summary>
    public static JobModel? Parse(Findings findings, DeclaredOperation operation, string fullName, IReadOnlyList<DeclaredVerb> verbs)
    {
        if (operation.Method.Inherited(Attribute) is not { } attribute)
        {
            ScheduleRules.RefuseWithoutJob(findings, operation, fullName);
            return null;
        }

        var job = Read(attribute, fullName, operation.Parameters, out var wrong);
        if ((Obstacle(findings.Compilation, operation, verbs) ?? wrong) is { } refusal)
        {
            findings.Report(WeirCodes.JobShape, attribute.Place(operation.Method), fullName, refusal);
            return null;
        }

        job = job with { Schedule = ScheduleRules.Parse(findings, operation, fullName) };
        var declaring = operation.Method.ContainingType;
        return SymbolEqualityComparer.Default.Equals(declaring.ContainingAssembly, findings.Compilation.Assembly) ? job with { DeclaringType = TypeNames.Metadata(declaring) } : job;
    }

    // Why the operation's calls cannot be stored, or run without their request; null for nothing.
    private static string? Obstacle(Compilation compilation, DeclaredOperation operation, IReadOnlyList<DeclaredVerb> verbs)
    {
        if (operation.Parameters.FirstOrDefault(static one => one.IsItems) is { } items)
        {
            return $"its parameter '{items.Name}' is a streamed request, and the arguments of a job are stored before it runs; take a list, or remove [Job]";
        }

        foreach (var parameter in ParameterGroups.Flat(compilation, operation.Method))
        {
            var type = TypeNames.ForPeople(TypeNames.Core(parameter.Type));
            switch (ParameterParser.RoleOf(parameter))
            {
                case ArgumentRole.Bound when HostOnlyTypes.AttachedSource(parameter.Type) is not null:
                    return $"its parameter '{parameter.Name}' ({type}) is read from the request, which has ended when a job runs; take the content as ReadOnlyMemory<byte>, or store it and take its name, or remove [Job]";
                case ArgumentRole.Http:
                    return $"its parameter '{parameter.Name}' ({type}) exists only while a request is answered, and a job runs later; take what it needs of it as values, or remove [Job]";
                case ArgumentRole.Caller:
                    return Caller(parameter);
            }
        }

        return operation.Result switch
        {
            { IsHttp: true, Value: { } value } => $"its result ({value.Display}) writes the response to a request, and the result of a job is stored; return the value, or remove [Job]",
            { Kind: "Raw", Value: { } value } => $"its result ({value.Display}) cannot be stored; return ReadOnlyMemory<byte>, or IAsyncEnumerable<ReadOnlyMemory<byte>>, or remove [Job]",
            _ when verbs.All(static verb => verb.Name == "Get") => "its only verb is GET, and a GET must be safe, which storing a job is not; add [Post] or remove [Job]",
            _ => null,
        };
    }

    /// <summary>Why a job has no argument for a parameter that is who makes the call.</summary>
    public static string Caller(ArgumentSymbol parameter) =>
        $"its parameter '{parameter.Name}' (ClaimsPrincipal) is the caller of a direct call, which is not stored with a job; take what it needs of it as values, such as string user, or remove [Job]";

    // The attribute's values; of several that are wrong, the first is named.
    private static JobModel Read(AttributeData attribute, string fullName, EquatableArray<ParameterModel> parameters, out string? wrong)
    {
        var own = attribute.Text();
        var kind = own ?? fullName;
        var attempts = attribute.Named("Attempts") as int? ?? 0;
        var concurrency = attribute.Named("Concurrency") as int? ?? 0;
        var maxPerKey = attribute.Named("MaxPerKey") as int? ?? 0;
        var maxTotal = attribute.Named("MaxTotal") as int? ?? 0;
        var hasTimeout = !attribute.NamedArguments.Any(static one => one is { Key: "Timeout", Value.IsNull: true });
        var timeout = WrittenTime.Read(attribute, "Timeout", TimeSpan.FromHours(1), out var ofTimeout);
        var backoff = WrittenTime.Read(attribute, "Backoff", TimeSpan.FromSeconds(5), out var ofBackoff);
        var maxBackoff = WrittenTime.Read(attribute, "MaxBackoff", TimeSpan.FromHours(1), out var ofMaxBackoff);
        var key = attribute.Named("Key") as string;
        var respond = attribute.Named("Respond") as int? ?? 0;
        var position = parameters.TakeWhile(one => one.Name != key).Count();
        wrong = OfKind(kind, own is not null)
            ?? (attempts is < 0 or > MostAttempts ? $"Attempts is {Text(attempts)}; set it from 1 to {Text(MostAttempts)}, or to 0 for the default" : null)
            ?? (hasTimeout ? ofTimeout ?? (timeout <= TimeSpan.Zero ? "Timeout is not longer than zero; write a longer one, or Timeout = null for no limit"
                : timeout > TimeSpan.FromDays(49) ? "Timeout is longer than 49 days; write a shorter one, or Timeout = null for no limit"
                : null) : null)
            ?? ofBackoff
            ?? (backoff < TimeSpan.Zero ? "Backoff is negative; write \"00:00:00\" for no pause, or a longer one" : null)
            ?? ofMaxBackoff
            ?? (maxBackoff < backoff ? $"MaxBackoff ({WrittenTime.Of(maxBackoff)}) is shorter than Backoff ({WrittenTime.Of(backoff)}); raise MaxBackoff, or lower Backoff" : null)
            ?? (concurrency < 0 ? $"Concurrency is {Text(concurrency)}; set it to 1 or more, or to 0 for the default" : null)
            ?? (maxPerKey < 0 ? $"MaxPerKey is {Text(maxPerKey)}; set it to 1 or more, or to 0 for no limit" : null)
            ?? (maxTotal < 0 ? $"MaxTotal is {Text(maxTotal)}; set it to 1 or more, or to 0 for no limit" : null)
            ?? (maxTotal > 0 && maxPerKey > maxTotal ? $"MaxPerKey ({Text(maxPerKey)}) is more than MaxTotal ({Text(maxTotal)}), so it limits nothing; lower MaxPerKey, or raise MaxTotal" : null)
            ?? (respond is < 0 or > 2 ? $"Respond is {Text(respond)}; write JobRespond.WhenPreferred, Always or Never" : null)
            ?? (key is null ? null : position == parameters.Count ? $"Key names '{key}', and callers supply no parameter of that name; write nameof(…) of one, or remove Key" : OfKey(parameters[position]));
        return new JobModel(kind, own is not null)
        {
            Attempts = attempts,
            Timeout = hasTimeout ? timeout : null,
            Backoff = backoff,
            MaxBackoff = maxBackoff,
            Concurrency = concurrency,
            MaxPerKey = maxPerKey,
            MaxTotal = maxTotal,
            KeyParameter = key is null ? null : position,
            Respond = respond,
        };
    }

    private static string? OfKind(string kind, bool isNamed) =>
        kind.Length == 0 ? "the name of its kind is empty; write [Job(\"…\")] with a name, or [Job] for Service/Operation"
        : kind.Length > LongestKind ? $"the name of its kind has {Text(kind.Length)} characters, and {Text(LongestKind)} are allowed; {(isNamed ? "shorten it" : "write [Job(\"…\")] with a shorter one")}"
        : isNamed && !kind.All(static one => char.IsLetterOrDigit(one) || "._-/".IndexOf(one) >= 0) ? $"the name of its kind, '{kind}', may contain only letters, digits and . _ - /; rename it"
        : null;

    // A type that parses its own text has several texts for one value: two jobs of one key could run at once.
    private static string? OfKey(ParameterModel parameter) =>
        parameter.Value is { Kind: ValueKind.Scalar, IsBytes: false, IsParsed: false }
            ? null
            : $"Key names '{parameter.Name}', which is {parameter.Display}; a key is one text, number, Guid, date, time, enum or bool; take such a value as a parameter of its own, and name that";

    private static string Text(int number) => number.ToString(CultureInfo.InvariantCulture);
}
