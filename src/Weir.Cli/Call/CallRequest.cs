using System.Net.Http.Headers;
using System.Text;
using System.Text.Json;
using Weir.Cli.Contracts;
using Weir.Cli.Terminal;

namespace Weir.Cli.Call;

/// <summary>Makes the request of a call from arguments that were typed. Its buffers are bounded by them, and by the files that they name.</summary>
internal sealed class CallRequest(ServiceContract service, OperationContract operation, CommandConsole console)
{
    private static readonly string[] Numbers = ["boolean", "int8", "int16", "int32", "int64", "int128", "uint8", "uint16", "uint32", "uint64", "uint128", "float16", "float32", "float64", "decimal"];

    /// <summary>An operation by its name, without regard to case; <c>null</c> for what is not there.</summary>
    public static (ServiceContract? Service, OperationContract? Operation) Find(IReadOnlyList<ServiceContract> services, string name)
    {
        var parts = name.Trim('/').Split('/');
        var service = services.FirstOrDefault(one => string.Equals(one.Name, parts[0], StringComparison.OrdinalIgnoreCase));
        return (service, parts.Length == 2 ? service?.Operations.FirstOrDefault(one => string.Equals(one.Name, parts[1], StringComparison.OrdinalIgnoreCase)) : null);
    }

    /// <summary>The request.</summary>
    /// <param name="server">The server, without a path.</param>
    /// <param name="arguments">Each <c>name=value</c>.</param>
    /// <param name="cancellationToken">Ends the reading of files.</param>
    /// <exception cref="InputException">An argument is wrong.</exception>
    public async Task<HttpRequestMessage> CreateAsync(Uri server, IReadOnlyList<string> arguments, CancellationToken cancellationToken)
    {
        var given = Given(arguments);
        var request = OperationRequest.Of(operation, service.Types);
        var path = request.Path;
        var query = new StringBuilder();
        var message = new HttpRequestMessage { Method = new HttpMethod(request.Verb) };
        var members = new Dictionary<string, byte[]>();
        var form = new List<(RequestParameter Parameter, string Value)>();
        foreach (var parameter in request.Parameters)
        {
            var values = given.GetValueOrDefault(parameter.Parameter.Name) ?? [];
            if (values.Count == 0 && !parameter.IsOptional && parameter.Place is "path")
            {
                throw new InputException($"{parameter.Parameter.Name} is missing, which is a part of the path {request.Path}; write {parameter.Parameter.Name}=…");
            }

            switch (parameter.Place)
            {
                case "path":
                    path = InPath(path, parameter.Parameter.Wire, values.Count == 0 ? null : await TextAsync(values[^1], cancellationToken));
                    break;
                case "query":
                    foreach (var value in values)
                    {
                        query.Append(query.Length == 0 ? '?' : '&').Append(Uri.EscapeDataString(parameter.Parameter.Wire)).Append('=').Append(Uri.EscapeDataString(await TextAsync(value, cancellationToken)));
                    }

                    break;
                case "header":
                    if (values.Count > 0)
                    {
                        message.Headers.TryAddWithoutValidation(parameter.Parameter.Wire, string.Join(',', values));
                    }

                    break;
                case "member" when values.Count > 0:
                    members.Add(parameter.Parameter.Wire, await JsonAsync(parameter.Parameter, values, cancellationToken));
                    break;
                case "body" when values.Count > 0:
                    message.Content = Json(await JsonAsync(parameter.Parameter, values, cancellationToken));
                    break;
                case "bytes" or "items":
                    message.Content = new StreamContent(values.Count == 0 ? Stream.Null : Open(values[^1]))
                    {
                        Headers = { ContentType = new MediaTypeHeaderValue(parameter.Place == "items" ? "application/x-ndjson" : "application/octet-stream") },
                    };
                    break;
                case "form" or "file":
                    form.AddRange(values.Select(value => (parameter, value)));
                    break;
            }
        }

        if (request.Parameters.Exists(static one => one.Place == "member"))
        {
            message.Content = Json(Object(members));
        }
        else if (request.Parameters.Exists(static one => one.Place == "file"))
        {
            message.Content = await MultipartAsync(form, cancellationToken);
        }
        else if (request.Parameters.Exists(static one => one.Place == "form"))
        {
            message.Content = new FormUrlEncodedContent(form.Select(static one => KeyValuePair.Create(one.Parameter.Parameter.Wire, one.Value)));
        }

        message.RequestUri = new Uri(server, path + query);
        return message;
    }

    private Dictionary<string, List<string>> Given(IReadOnlyList<string> arguments)
    {
        var given = new Dictionary<string, List<string>>(StringComparer.OrdinalIgnoreCase);
        foreach (var argument in arguments)
        {
            var name = argument.Split('=', 2)[0];
            if (name.Length == argument.Length)
            {
                throw new InputException($"'{argument}' is no argument; write name=value.");
            }

            if (operation.Parameters.FirstOrDefault(one => string.Equals(one.Name, name, StringComparison.OrdinalIgnoreCase) || string.Equals(one.Wire, name, StringComparison.OrdinalIgnoreCase)) is not { } parameter)
            {
                var names = operation.Parameters.Count == 0 ? "it takes none" : "choose " + string.Join(", ", operation.Parameters.Select(static one => one.Name));
                throw new InputException($"{service.Name}/{operation.Name} has no parameter '{name}'; {names}.");
            }

            given.TryAdd(parameter.Name, []);
            given[parameter.Name].Add(argument[(name.Length + 1)..]);
        }

        return given;
    }

    private static string InPath(string path, string name, string? value)
    {
        foreach (var (mark, isAll) in new[] { ($"{{{name}}}", false), ($"{{{name}?}}", false), ($"{{*{name}}}", true), ($"{{*{name}?}}", true) })
        {
            var at = path.IndexOf(mark, StringComparison.OrdinalIgnoreCase);
            if (at >= 0)
            {
                var text = value is null ? "" : isAll ? string.Join('/', value.Split('/').Select(Uri.EscapeDataString)) : Uri.EscapeDataString(value);
                return path[..at] + text + path[(at + mark.Length)..];
            }
        }

        return path;
    }

    private async Task<byte[]> JsonAsync(ParameterContract parameter, List<string> values, CancellationToken cancellationToken)
    {
        var type = parameter.Type.TrimEnd('?');
        if (type.EndsWith("[]", StringComparison.Ordinal) && (values.Count > 1 || !IsJsonText(values[0])))
        {
            var element = parameter with { Type = type[..^2] };
            var items = new List<byte>([(byte)'[']);
            foreach (var value in values)
            {
                items.AddRange(items.Count > 1 ? [(byte)','] : []);
                items.AddRange(await JsonAsync(element, [value], cancellationToken));
            }

            return [.. items, (byte)']'];
        }

        if (values.Count > 1)
        {
            throw new InputException($"{parameter.Name} is given {values.Count} times, and is one {parameter.Type}.");
        }

        var text = await TextAsync(values[0], cancellationToken);
        var isText = !type.EndsWith(']') && !type.EndsWith('}') && type != "json" && !Numbers.Contains(type) && service.Types.GetValueOrDefault(type) is null or { Names: not null };
        if (isText && !(text == "null" && parameter.Type.EndsWith('?')))
        {
            return Encoding.UTF8.GetBytes($"\"{JsonEncodedText.Encode(text)}\"");
        }

        try
        {
            using var parsed = JsonDocument.Parse(text);
            return Encoding.UTF8.GetBytes(text);
        }
        catch (JsonException) when (Numbers.Contains(type))
        {
            // The server says what it expects.
            return Encoding.UTF8.GetBytes($"\"{JsonEncodedText.Encode(text)}\"");
        }
        catch (JsonException wrong)
        {
            throw new InputException($"{parameter.Name} is {parameter.Type}, and its value is no JSON: {wrong.Message}", wrong);
        }
    }

    private static bool IsJsonText(string value) => value.StartsWith('[') || value.StartsWith('@') || value == "null";

    // A value of '@' and a name is what that file has.
    private async Task<string> TextAsync(string value, CancellationToken cancellationToken)
    {
        if (!value.StartsWith('@'))
        {
            return value;
        }

        await using var file = Open(value);
        using var reader = new StreamReader(file, Encoding.UTF8);
        return (await reader.ReadToEndAsync(cancellationToken)).TrimEnd('\r', '\n');
    }

    private Stream Open(string value)
    {
        if (!value.StartsWith('@'))
        {
            return new MemoryStream(Encoding.UTF8.GetBytes(value));
        }

        var name = value[1..];
        try
        {
            return name == "-" ? console.Input : File.OpenRead(console.PathOf(name));
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            throw new InputException($"'{name}' cannot be read: {failure.Message}", failure);
        }
    }

    private async Task<MultipartFormDataContent> MultipartAsync(List<(RequestParameter Parameter, string Value)> form, CancellationToken cancellationToken)
    {
        var content = new MultipartFormDataContent();
        foreach (var (parameter, value) in form)
        {
            if (parameter.Place == "file")
            {
                content.Add(new StreamContent(Open(value)), parameter.Parameter.Wire, value.StartsWith('@') ? Path.GetFileName(value[1..]) : parameter.Parameter.Name);
            }
            else
            {
                content.Add(new StringContent(await TextAsync(value, cancellationToken)), parameter.Parameter.Wire);
            }
        }

        return content;
    }

    // Bounded by the arguments that were typed.
    private static byte[] Object(Dictionary<string, byte[]> members)
    {
        using var buffer = new MemoryStream();
        using (var json = new Utf8JsonWriter(buffer))
        {
            json.WriteStartObject();
            foreach (var (name, value) in members)
            {
                json.WritePropertyName(name);
                json.WriteRawValue(value);
            }

            json.WriteEndObject();
        }

        return buffer.ToArray();
    }

    private static ByteArrayContent Json(byte[] json) => new(json) { Headers = { ContentType = new MediaTypeHeaderValue("application/json") } };
}
