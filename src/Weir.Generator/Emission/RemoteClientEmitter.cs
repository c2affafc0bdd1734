using System.Globalization;
using Weir.Generator.Model;

namespace Weir.Generator.Emission;

/// <summary>Writes the class that implements a contract by HTTP requests.</summary>
internal sealed class RemoteClientEmitter
{
    private const string Runtime = "global::Weir.Runtime.";

    private readonly RemoteClientModel _client;
    private readonly ClientForm _form;
    private readonly SourceWriter _code = SourceWriter.File();

    // The value types of the class, each with the field that reads and writes it.
    private readonly List<(string Type, ValueModel Value)> _values = [];

    private RemoteClientEmitter(RemoteClientModel client, ClientForm form) => (_client, _form) = (client, form);

    public static string Write(string @namespace, RemoteClientModel client, ClientForm form, CancellationToken cancellationToken)
    {
        var emitter = new RemoteClientEmitter(client, form);
        emitter._code.Block($"namespace {@namespace}", () => emitter.Class(cancellationToken));
        return emitter._code.ToString();
    }

    private void Class(CancellationToken cancellationToken) => _code.Block($"internal sealed class {_client.Class} : {_client.Contract}", () =>
    {
        _code.Line($"private const string Contract = {JsonCode.Quote(_client.Text)};");
        _code.Line();
        _code.Line($"private readonly {Runtime}ServiceClient _client;");
        _code.Line();
        _code.Line($"internal {_client.Class}({Runtime}ServiceClient client) => _client = client;");
        for (var index = 0; index < _client.Operations.Count; index++)
        {
            cancellationToken.ThrowIfCancellationRequested();
            _code.Line();
            Description(_client.Operations[index], index);
            _code.Line();
            new RemoteMethodEmitter(_code, _client.Operations[index], $"{_client.Class}.Operation{index}", Field).Write();
        }

        foreach (var method in _client.OtherMethods)
        {
            _code.Line();
            ProxyEmitter.OtherMethod(_code, method);
        }

        for (var index = 0; index < _values.Count; index++)
        {
            _code.Line();
            Value(_values[index].Value, index);
        }
    });

    private string Field(ValueModel value)
    {
        var index = _values.FindIndex(one => one.Type == value.Type);
        if (index < 0)
        {
            index = _values.Count;
            _values.Add((value.Type, value));
        }

        return $"{_client.Class}.Json{index}";
    }

    private void Description(RemoteOperationModel operation, int index)
    {
        var type = Runtime + "ClientOperation";
        var throws = string.Concat(operation.Throws.Select(static one => $", new {Runtime}ClientException({JsonCode.Quote(one.Name)}, static message => new {one.Type}(message))"));
        _code.Line($"private static readonly {type} Operation{index} = new {type}({JsonCode.Quote(operation.Name)}, {JsonCode.Quote(operation.Verb)}, {JsonCode.Quote(Accept(operation.Result))}, {JsonCode.Quote(operation.Signature.ToString("x16", CultureInfo.InvariantCulture))}, static () => Contract{throws});");
    }

    private static string Accept(ResultModel result) => result switch
    {
        { IsStream: true } when RemoteMethodEmitter.IsRaw(result) => Bytes(result),
        { IsStream: true } => "application/x-ndjson; weir=1",
        { Kind: "Raw" } => $"{Bytes(result)}, */*;q=0.1",
        _ when RemoteMethodEmitter.IsRaw(result) => Bytes(result),
        // A server answers in JSON by itself, but for text.
        { Kind: "Text" or "Bytes" } => "application/json",
        _ => "",
    };

    private static string Bytes(ResultModel result) => result.MediaType is { } declared ? declared.Split(';')[0].Trim() : "application/octet-stream";

    private void Value(ValueModel value, int index)
    {
        var type = $"{Runtime}ClientValue<{value.Type}>";
        var isNullable = value.IsNullable ? "isNullable: true" : "isNullable: false";
        if (_form == ClientForm.Serialized)
        {
            _code.Line($"private static readonly {type} Json{index} = new {Runtime}SerializedValue<{value.Type}>(JsonTypes.Serializer, {isNullable});");
            return;
        }

        _code.Line($"private static readonly {type} Json{index} = new {Runtime}GeneratedValue<{value.Type}>(");
        _code.Block($"    {JsonCode.Reader(value)}, static (output, value) =>", () => JsonCode.Write(_code, value, "value", "present"), $"}}, {isNullable});");
    }
}
