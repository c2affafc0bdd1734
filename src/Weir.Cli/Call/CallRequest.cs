using System.Net.Http.Headers;
using System.Text;
using System.Text.Json;
using Weir.Cli.Contracts;
using Weir.Cli.Terminal;

namespace Weir.Cli.Call;

/// <summary>Makes the request of a call from arguments that were typed. Its buffers are bounded by them, and by the files that they name.</summary>
internal sealed class CallRequest(ServiceContract service, OperationContract operation, CommandConsole console)
{
    private const int MostDepth = 1000;

    private static readonly string[] Numbers = ["boolean", "int8", "int16", "int32", "int64", "int128", "uint8", "uint16", "uint32", "uint64", "uint128", "float16", "float32", "float64", "decimal"];

    /// <summary>An operation by its name, without regard to case; <c>null</c> for what is not there.</summary>
    public static (ServiceContract? Service, OperationContract? Operation) Find(IReadOnlyList<ServiceContract> services, string name)
    {
        var parts = name.Trim('/').Split('/');
        var service = services.FirstOrDefault(one => string.Equals(one.Name, parts[0], StringComparison.OrdinalIgnoreCase));
        return (service, parts.Length == 2 ? service?.Operations.FirstOrDefault(one => string.Equals(one.Name, parts[1], StringComparison.OrdinalIgnoreCase)) : null);
    }

    /// <summary>The request.</summary>
    /// <param name="server">The server, of whose address the path does not count.</param>
    /// <param name="served">Where its paths begin.</param>
    /// <param name="arguments">Each <c>name=value</c>.</param>
    /// <param name="cancellationToken">Ends the reading of files.</param>
    /// <exception cref="InputException">An argument is wrong.</exception>
    public async Task<HttpRequestMessage> CreateAsync(Uri server, ServedServices served, IReadOnlyList<string> arguments, CancellationToken cancellationToken)
    {
        var given = Given(arguments);
        var request = OperationRequest.Of(operation, service.Types);
        var path = served.PathOf(request.Path);
        var query = new StringBuilder();
        var message = new HttpRequestMessage { Method = new HttpMethod(request.Verb) };
        var members = new Dictionary<string, byte[]>();
        var headers = new List<KeyValuePair<string, string>>();
        var form = new List<(RequestParameter Parameter, ArgumentText Value)>();
        foreach (var parameter in request.Parameters)
        {
            var values = given.GetValueOrDefault(parameter.Parameter.Name) ?? [];
            if (values.Count == 0 && !parameter.IsOptional && parameter.Place is "path")
            {
                throw new InputException($"{parameter.Parameter.Name} is missing, which is a part of the path {request.Path}; write {parameter.Parameter.Name}=…");
            }

            if (values.Count > 1 && parameter.Place is "path" or "bytes" || (values.Count > 1 && parameter.Place is "query" or "header" && !IsList(parameter.Parameter)))
            {
                throw new InputException($"{parameter.Parameter.Name} is given {values.Count} times, and is one {parameter.Parameter.Type}.");
            }

            switch (parameter.Place)
            {
                case "path":
                    path = InPath(path, parameter.Parameter, values.Count == 0 ? null : await values[0].ReadAsync(console, cancellationToken));
                    break;
                case "query":
                    foreach (var value in values)
                    {
                        query.Append(query.Length == 0 ? '?' : '&').Append(Uri.EscapeDataString(parameter.Parameter.Wire)).Append('=')
                            .Append(Uri.EscapeDataString(await value.ReadAsync(console, cancellationToken)));
                    }

                    break;
                case "header" when values.Count > 0:
                    headers.Add(new(parameter.Parameter.Wire, await HeaderAsync(parameter.Parameter, values, cancellationToken)));
                    break;
                case "member" when values.Count > 0:
                    members.Add(parameter.Parameter.Wire, await JsonAsync(parameter.Parameter, values, cancellationToken));
                    break;
                case "body" when values.Count > 0:
                    message.Content = Json(await JsonAsync(parameter.Parameter, values, cancellationToken));
                    break;
                case "bytes":
                    message.Content = Bytes(values.Count == 0 ? Stream.Null : values[0].Open(console), "application/octet-stream");
                    break;
                case "items":
                    message.Content = Bytes(Items(parameter.Parameter, values), "application/x-ndjson");
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
            var fields = new List<KeyValuePair<string, string>>();
            foreach (var (parameter, value) in form)
            {
                fields.Add(new(parameter.Parameter.Wire, await value.ReadAsync(console, cancellationToken)));
            }

            message.Content = new FormUrlEncodedContent(fields);
        }

        foreach (var (name, value) in headers)
        {
            // Those that describe a body belong to it.
            if (!HeaderText.IsName(name) || !(message.Headers.TryAddWithoutValidation(name, value) || message.Content?.Headers.TryAddWithoutValidation(name, value) is true))
            {
                throw new InputException($"{service.Name}/{operation.Name} takes the header '{name}', which cannot be sent in this request.");
            }
        }

        message.RequestUri = AddressOf(server, path + query);
        return message;
    }

    // Always at the server that was given, whatever its catalog says.
    private static Uri AddressOf(Uri server, string path)
    {
        if (path.Contains('{', StringComparison.Ordinal))
        {
            throw new InputException($"the path {path} has a parameter that is none of the operation; give what stands for it with --prefix.");
        }

        return Uri.TryCreate(server.GetLeftPart(UriPartial.Authority) + path, UriKind.Absolute, out var address) && address.Authority == server.Authority && !path.Contains('#', StringComparison.Ordinal)
            ? address
            : throw new InputException($"'{path}' of the catalog is no path that can be requested.");
    }

    private Dictionary<string, List<ArgumentText>> Given(IReadOnlyList<string> arguments)
    {
        var given = new Dictionary<string, List<ArgumentText>>(StringComparer.OrdinalIgnoreCase);
        var readsInput = "";
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

            var value = ArgumentText.Parse(parameter.Name, argument[(name.Length + 1)..]);
            if (value.File == "-")
            {
                readsInput = readsInput.Length == 0 ? parameter.Name : throw new InputException($"{readsInput} and {parameter.Name} are both '@-', and standard input can be read once; put one of them into a file.");
            }

            given.TryAdd(parameter.Name, []);
            given[parameter.Name].Add(value);
        }

        return given;
    }

    // What the generated clients refuse, too: a server, or something before it, would take it for another path.
    private string InPath(string path, ParameterContract parameter, string? value)
    {
        foreach (var (mark, isAll) in new[] { ($"{{{parameter.Wire}}}", false), ($"{{{parameter.Wire}?}}", false), ($"{{*{parameter.Wire}}}", true), ($"{{*{parameter.Wire}?}}", true) })
        {
            var at = path.IndexOf(mark, StringComparison.OrdinalIgnoreCase);
            if (at >= 0)
            {
                var parts = value is null ? [] : isAll ? value.Split('/') : [value];
                if (Array.Exists(parts, static part => part is "" or "." or ".." || part.Contains('/', StringComparison.Ordinal) || part.Contains('\\', StringComparison.Ordinal)))
                {
                    throw new InputException(
                        $"{parameter.Name} is '{SafeText.Cut(value!, 200)}', and is a part of the path {operation.Routes[0].Path}: {(isAll ? "no part between slashes may" : "it must not")} be empty, '.' or '..'{(isAll ? ", or have a backslash" : ", or have a slash or backslash")}.");
                }

                return path[..at] + string.Join('/', parts.Select(Uri.EscapeDataString)) + path[(at + mark.Length)..];
            }
        }

        return path;
    }

    private async Task<string> HeaderAsync(ParameterContract parameter, List<ArgumentText> values, CancellationToken cancellationToken)
    {
        var texts = new List<string>();
        foreach (var value in values)
        {
            var text = await value.ReadAsync(console, cancellationToken);
            var wrong = HeaderText.WrongIn(text)
                ?? (text.AsSpan().Trim(" \t").Length != text.Length ? "begins or ends with a blank, which is lost in a header." : null)
                ?? (values.Count > 1 && text.Contains(',', StringComparison.Ordinal) ? "has a comma, which separates the elements of a header." : null);
            texts.Add(wrong is null ? text : throw new InputException($"{parameter.Name} is sent as the header '{parameter.Wire}', and its value {wrong}"));
        }

        return string.Join(',', texts);
    }

    private Stream Items(ParameterContract parameter, List<ArgumentText> values) => values switch
    {
        [] => Stream.Null,
        [var one] => one.Open(console),
        _ when values.Exists(static one => one.File is not null) => throw new InputException($"{parameter.Name} is given {values.Count} times, one of them as a file; give one file with a JSON value a line, or values only."),
        _ => new MemoryStream(Encoding.UTF8.GetBytes(string.Join('\n', values.Select(static one => one.Text)))),
    };

    private static StreamContent Bytes(Stream stream, string mediaType) => new(stream) { Headers = { ContentType = new MediaTypeHeaderValue(mediaType) } };

    private static bool IsList(ParameterContract parameter) => parameter.Type.TrimEnd('?') is var type && (type.EndsWith(']') || type.EndsWith('}') || type == "json");

    private async Task<byte[]> JsonAsync(ParameterContract parameter, List<ArgumentText> values, CancellationToken cancellationToken)
    {
        var type = parameter.Type.TrimEnd('?');
        if (type.EndsWith("[]", StringComparison.Ordinal) && (values.Count > 1 || !values[0].MayBeJsonList))
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

        var text = await values[0].ReadAsync(console, cancellationToken);
        var isText = !type.EndsWith(']') && !type.EndsWith('}') && type != "json" && !Numbers.Contains(type) && service.Types.GetValueOrDefault(type) is null or { Names: not null };
        if (isText && !(text == "null" && parameter.Type.EndsWith('?')))
        {
            return Encoding.UTF8.GetBytes($"\"{JsonEncodedText.Encode(text)}\"");
        }

        try
        {
            using var parsed = JsonDocument.Parse(text, new JsonDocumentOptions { MaxDepth = MostDepth });
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

    private async Task<MultipartFormDataContent> MultipartAsync(List<(RequestParameter Parameter, ArgumentText Value)> form, CancellationToken cancellationToken)
    {
        var content = new MultipartFormDataContent();
        // Fields first: an isolated operation runs while its files arrive.
        foreach (var (parameter, value) in form.OrderBy(static one => one.Parameter.Place == "file"))
        {
            if (parameter.Place == "file")
            {
                content.Add(new StreamContent(value.Open(console)), parameter.Parameter.Wire, value.File is null or "-" ? parameter.Parameter.Name : FileNameOf(value.File));
            }
            else
            {
                content.Add(new StringContent(await value.ReadAsync(console, cancellationToken)), parameter.Parameter.Wire);
            }
        }

        return content;
    }

    // A name goes into a header, in quotes.
    private static string FileNameOf(string path) =>
        new string([.. Path.GetFileName(path).Select(static letter => char.IsControl(letter) || letter is '"' or '\\' ? '_' : letter)]) is { Length: > 0 } name ? name : "file";

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
