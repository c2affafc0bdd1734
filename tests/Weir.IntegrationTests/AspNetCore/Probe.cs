using System.Text.Json;
using Weir.Runtime;

namespace Weir.IntegrationTests.AspNetCore;

/// <summary>Operations whose methods are delegates, as a test needs them.</summary>
internal static class Probe
{
    private const string PickyType = "picky ";

    internal delegate object? Method(Dictionary<string, object?> arguments, OperationContext context);

    internal static Parameter Int(string name, bool optional = false) => new(name, "int", ParameterSource.Value, optional);

    internal static Parameter Text(string name, bool optional = false) => new(name, "string", ParameterSource.Value, optional);

    internal static Parameter Texts(string name) => new(name, "string[]", ParameterSource.Value, true);

    /// <summary>Of a type whose constructor throws.</summary>
    internal static Parameter Picky(string name, Type thrown) => new(name, PickyType + thrown.AssemblyQualifiedName, ParameterSource.Value, true);

    internal static Parameter Raw(string name) => new(name, "bytes", ParameterSource.Raw, false);

    internal static Parameter Items(string name) => new(name, "IAsyncEnumerable<int>", ParameterSource.Items, false);

    internal static Parameter Body(string name) => new(name, "json", ParameterSource.Body, false);

    /// <summary>An operation with one result; the method may return a task of it.</summary>
    internal static Operation Result(
        string name, ResultKind kind, Method method, Parameter[]? parameters = null, Verbs verbs = Verbs.Get | Verbs.Post, bool nullable = false, Placement placement = Placement.Inline,
        Func<IReadOnlyList<object>, IReadOnlyList<object>>? metadata = null, string? route = null) => new()
        {
            Name = name,
            Verbs = verbs,
            Routes = route is null ? null! : [new OperationRoute(verbs, route)],
            ResultKind = kind,
            IsResultNullable = nullable,
            UsesContext = true,
            Placement = placement,
            EndpointMetadata = metadata,
            Parameters = parameters ?? [],
            Signature = 1,
            CreateCall = kind == ResultKind.None ? operation => new ProbeVoidCall(operation, method) : operation => new ProbeCall(operation, method),
        };

    /// <summary>A streaming operation; the method returns an asynchronous or a blocking sequence.</summary>
    internal static Operation Stream(string name, Method method, Parameter[]? parameters = null, FlushPolicy flush = FlushPolicy.Adaptive, Placement placement = Placement.Inline, OperationFilterAttribute[]? filters = null, Resumption resumption = Resumption.None) => new()
    {
        Name = name,
        Verbs = Verbs.Get | Verbs.Post,
        ResultKind = ResultKind.Stream,
        Filters = filters ?? [],
        UsesContext = true,
        Placement = placement,
        Flush = flush,
        Resumption = resumption,
        Parameters = parameters ?? [],
        Signature = 1,
        CreateCall = operation => new ProbeStreamCall(operation, method),
    };

    internal static void Bind(ArgumentReader reader, Operation operation, Dictionary<string, object?> arguments)
    {
        var seen = 0UL;
        var lists = new List<string>?[operation.Parameters.Count];
        while (reader.MoveNext())
        {
            var index = operation.Parameters.ToList().FindIndex(parameter => reader.Is(parameter.Name));
            if (index < 0)
            {
                reader.SkipUnknown();
                continue;
            }

            var parameter = operation.Parameters[index];
            if (parameter.Source == ParameterSource.Items)
            {
                reader.RefuseItems(parameter.Name);
                continue;
            }

            if (reader.Begin(ref seen, index, parameter.Name, parameter.TypeName == "string[]"))
            {
                arguments[parameter.Name] = parameter.TypeName switch
                {
                    "int" => reader.Read(Scalars.Int32),
                    "string" => reader.Read(Scalars.String),
                    "string[]" => ReadTexts(reader, ref lists[index]),
                    var type when type.StartsWith(PickyType, StringComparison.Ordinal) => throw (Exception)Activator.CreateInstance(Type.GetType(type[PickyType.Length..], throwOnError: true)!)!,
                    "bytes" => reader.ReadBytes(),
                    _ => reader.ReadJson(ReadDocument),
                };
                reader.End(ref seen, index, parameter.IsOptional);
            }
        }

        for (var i = 0; i < operation.Parameters.Count; i++)
        {
            if ((seen & (1UL << i)) == 0 && !operation.Parameters[i].IsOptional && operation.Parameters[i].Source != ParameterSource.Items)
            {
                reader.Missing(operation.Parameters[i].Name, operation.Parameters[i].TypeName);
            }
        }
    }

    internal static void Take(Dictionary<string, object?> arguments, Operation operation, ItemReader items) =>
        arguments[operation.ItemsParameter!.Name] = ProbeItems.Instance.Receive(items, operation.ItemsParameter.Name);

    internal static Dictionary<string, object?> Within(
        Dictionary<string, object?> arguments, Operation operation, Func<IAsyncEnumerable<int>, IAsyncEnumerable<int>> give)
    {
        if (operation.ItemsParameter is { } items)
        {
            arguments[items.Name] = give((IAsyncEnumerable<int>)arguments[items.Name]!);
        }

        return arguments;
    }

    private static List<string> ReadTexts(ArgumentReader reader, ref List<string>? list)
    {
        reader.ReadElements(ref list, Scalars.String);
        return list!;
    }

    private static string ReadDocument(ref Utf8JsonReader reader, BindingErrorList errors)
    {
        if (!JsonValues.BeginObject(ref reader, errors))
        {
            return "";
        }

        using var document = JsonDocument.ParseValue(ref reader);
        return document.RootElement.GetRawText();
    }
}

internal sealed class ProbeCall(Operation operation, Probe.Method method) : Call<object?>(operation)
{
    private readonly Dictionary<string, object?> _arguments = [];

    public override void Bind(ArgumentReader reader) => Probe.Bind(reader, Operation, _arguments);

    public override void WriteArguments(ArgumentWriter writer) => throw new NotSupportedException();

    public override void TakeItems(ItemReader items) => Probe.Take(_arguments, Operation, items);

    public override async ValueTask InvokeAsync(object service, CancellationToken cancellationToken)
    {
        var result = method(Probe.Within(_arguments, Operation, items => Items(items, cancellationToken)), Context!);
        Value = result is Task<object?> task ? await task : result;
    }

    protected override void Encode(PayloadWriter output, object? value, ResultEncoding encoding)
    {
        switch (value)
        {
            case byte[] bytes:
                PayloadReader.WriteBytes(output, bytes, false, encoding);
                break;
            case int number:
                output.BeginJson().WriteNumberValue(number);
                output.EndJson();
                break;
            default:
                PayloadReader.WriteText(output, (string?)value, encoding);
                break;
        }
    }

    protected override object? Decode(ReadOnlySpan<byte> payload, ResultEncoding encoding) => throw new NotSupportedException();
}

internal sealed class ProbeVoidCall(Operation operation, Probe.Method method) : VoidCall(operation)
{
    private readonly Dictionary<string, object?> _arguments = [];

    public override void Bind(ArgumentReader reader) => Probe.Bind(reader, Operation, _arguments);

    public override void WriteArguments(ArgumentWriter writer) => throw new NotSupportedException();

    public override async ValueTask InvokeAsync(object service, CancellationToken cancellationToken)
    {
        if (method(_arguments, Context!) is Task task)
        {
            await task;
        }
    }
}

internal sealed class ProbeStreamCall(Operation operation, Probe.Method method) : StreamCall<int>(operation)
{
    private readonly Dictionary<string, object?> _arguments = [];

    public override void Bind(ArgumentReader reader) => Probe.Bind(reader, Operation, _arguments);

    public override void WriteArguments(ArgumentWriter writer) => throw new NotSupportedException();

    public override void TakeItems(ItemReader items) => Probe.Take(_arguments, Operation, items);

    public override ValueTask InvokeAsync(object service, CancellationToken cancellationToken)
    {
        switch (method(Probe.Within(_arguments, Operation, items => Items(items, cancellationToken)), Context!))
        {
            case IAsyncEnumerable<int> items:
                Yield(items, cancellationToken);
                break;
            case IEnumerable<int> items:
                Yield(items);
                break;
        }

        return default;
    }

    public override void WriteItem(PayloadWriter output, int item)
    {
        output.BeginJson().WriteNumberValue(item);
        output.EndJson();
    }

    public override int ReadItem(ReadOnlySpan<byte> item) => throw new NotSupportedException();
}
