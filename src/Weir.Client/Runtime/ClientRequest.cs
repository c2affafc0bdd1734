using System.ComponentModel;
using System.Globalization;
using System.Net.Http.Headers;
using System.Text;
using System.Text.Json;
using Weir.Client.Json;
using Weir.Client.Requests;

namespace Weir.Runtime;

/// <summary>
/// One request as generated code describes it: first the path, then the query, then the rest, then at most one body. Used by one flow at a time until it
/// is sent; afterwards nothing changes it.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class ClientRequest
{
    private const string Json = "application/json";
    private const string Bytes = "application/octet-stream";

    private const int LargestKept = 512;

    [ThreadStatic]
    private static StringBuilder? _free;

    // A path without values is the operation's constant: it costs no text.
    private string _path = "";
    private StringBuilder? _built;
    private StringBuilder? _form;
    private List<KeyValuePair<string, string>>? _fields; // The values of the form, in case that it has files.
    private List<SentFile>? _files;
    private List<KeyValuePair<string, string>>? _headers;
    private bool _hasQuery;
    private ReadOnlyMemory<byte>? _body;
    private string _mediaType = Json;
    private Stream? _stream;
    private SentItems? _items;
    private ScratchJson? _json;

    /// <summary>Begins a request.</summary>
    /// <param name="operation">The operation that it calls.</param>
    public ClientRequest(ClientOperation operation) => Operation = operation;

    internal ClientOperation Operation { get; }

    /// <summary>Whether it has a body that can be sent once only.</summary>
    internal bool IsSentOnce => _stream is not null || _items is not null || _files is not null;

    /// <summary>Whether the answer that is expected is a job.</summary>
    internal bool IsSubmission { get; set; }

    /// <summary>Where the answer that refused it last points to; <c>null</c> where it points nowhere.</summary>
    internal Uri? RefusedAt { get; set; }

    /// <summary>What the caller's own sequence threw while its items were sent; <c>null</c> where it threw nothing.</summary>
    internal Exception? ItemsError => _items?.Error;

    /// <summary>Appends a part of the path as it is.</summary>
    /// <param name="literal">Encoded where that is needed; no slash at the beginning of the path.</param>
    public void Path(string literal)
    {
        if (_built is null && _path.Length == 0)
        {
            _path = literal;
        }
        else
        {
            Built.Append(literal);
        }
    }

    /// <summary>Appends a value to the path.</summary>
    /// <param name="name">The parameter, for the error.</param>
    /// <param name="text">The value.</param>
    /// <exception cref="ArgumentException">No path can have the value: it is empty, or one that URLs give another meaning.</exception>
    public void Segment(string name, string text)
    {
        if (text is null)
        {
            throw new ArgumentNullException(name);
        }

        if (text.Length == 0 || text is "." or ".." || text.IndexOf('/') >= 0 || text.IndexOf('\\') >= 0)
        {
            throw new ArgumentException($"{Operation.Name} has '{name}' in its path, and a path cannot have the value '{text}': it must not be empty, '.', '..' or have a slash.", name);
        }

        Built.Append(Uri.EscapeDataString(text));
    }

    /// <summary>Appends a number to the path.</summary>
    /// <param name="name">The parameter, for errors of other values.</param>
    /// <param name="value">The value.</param>
    public void Segment(string name, long value) => Append(value);

    /// <summary>Appends a value that takes the rest of the path and may have slashes.</summary>
    /// <param name="name">The parameter, for the error.</param>
    /// <param name="text">The value.</param>
    /// <exception cref="ArgumentException">A part between slashes is empty, or one that URLs give another meaning.</exception>
    public void Rest(string name, string text)
    {
        if (text is null)
        {
            throw new ArgumentNullException(name);
        }

        var parts = text.Split('/');
        for (var index = 0; index < parts.Length; index++)
        {
            if (index > 0)
            {
                Built.Append('/');
            }

            Segment(name, parts[index]);
        }
    }

    /// <summary>Appends a value to the query.</summary>
    /// <param name="name">As the server reads it.</param>
    /// <param name="text">The value.</param>
    public void Query(string name, string text)
    {
        Built.Append(_hasQuery ? '&' : '?').Append(Uri.EscapeDataString(name)).Append('=').Append(Uri.EscapeDataString(text));
        _hasQuery = true;
    }

    /// <summary>Appends a number to the query.</summary>
    /// <param name="name">As the server reads it.</param>
    /// <param name="value">The value.</param>
    public void Query(string name, long value)
    {
        Built.Append(_hasQuery ? '&' : '?').Append(Uri.EscapeDataString(name)).Append('=');
        Append(value);
        _hasQuery = true;
    }

    /// <summary>Refuses a null that the server would read as absent, and replace by the parameter's default.</summary>
    /// <param name="name">The parameter.</param>
    /// <param name="value">What it would be instead.</param>
    public void RefuseNull(string name, string value) => throw new ArgumentException(
        $"{Operation.Name} has '{name}' where null cannot be sent: it would be absent, and the server would take {value} instead. Pass a value, or take '{name}' in the body.", name);

    /// <summary>Adds a header.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="text">Its value.</param>
    /// <exception cref="ArgumentException">A header does not hold the value as it is.</exception>
    public void Header(string name, string text)
    {
        if (HeaderText.Refusal(text ?? throw new ArgumentNullException(name)) is { } reason)
        {
            throw new ArgumentException($"{Operation.Name} sends '{name}' as a header, and {reason}. Pass another value, or take '{name}' in the query or the body.", name);
        }

        (_headers ??= []).Add(new KeyValuePair<string, string>(name, text));
    }

    /// <summary>Adds an element to a header that is a list.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="text">The element.</param>
    /// <exception cref="ArgumentException">A header does not hold the element as it is: a comma separates elements, quotation marks surround one, and an empty one is none.</exception>
    public void HeaderItem(string name, string text)
    {
        if ((text ?? throw new ArgumentNullException(name)).Length == 0 || text.IndexOfAny([',', '"']) >= 0)
        {
            throw new ArgumentException(
                $"{Operation.Name} sends '{name}' as a header, where commas separate elements and quotation marks surround them, so '{text}' cannot be one: it must not be empty, or have either.", name);
        }

        Header(name, text);
    }

    /// <summary>Adds a value to the form that is the body.</summary>
    /// <param name="name">As the server reads it.</param>
    /// <param name="text">The value.</param>
    public void Form(string name, string text)
    {
        if (SentFile.FieldRefusal(name) is { } reason)
        {
            throw new ArgumentException($"{Operation.Name} sends a form, and {reason}.", name);
        }

        (_fields ??= []).Add(new KeyValuePair<string, string>(name, text));
        _form ??= new StringBuilder();
        _form.Append(_form.Length > 0 ? "&" : "").Append(Uri.EscapeDataString(name)).Append('=').Append(Uri.EscapeDataString(text));
    }

    /// <summary>Makes the body a form, also if no value follows.</summary>
    public void Form() => _form ??= new StringBuilder();

    /// <summary>Adds a file to the form that is the body, which is multipart then.</summary>
    /// <param name="name">As the server reads it.</param>
    /// <param name="fileName">The file's name.</param>
    /// <param name="mediaType">Its media type; <c>null</c> or empty for none.</param>
    /// <param name="content">Read once, and disposed of with the request.</param>
    /// <exception cref="ArgumentException">The file has no name, or a form does not hold its name or media type as it is.</exception>
    public void File(string name, string fileName, string? mediaType, Stream content)
    {
        if (SentFile.Refusal(name, fileName, mediaType) is { } reason)
        {
            throw new ArgumentException($"{Operation.Name} sends '{name}' as a file of a form, and {reason}.", name);
        }

        _form ??= new StringBuilder();
        (_files ??= []).Add(new SentFile(name, fileName, mediaType, content));
    }

    /// <summary>Begins a JSON body; <see cref="EndJson"/> must follow.</summary>
    public Utf8JsonWriter BeginJson()
    {
        _json = ScratchJson.Rent();
        return _json.Writer;
    }

    /// <summary>Ends the JSON body.</summary>
    public void EndJson()
    {
        _body = _json!.ToArray();
        ScratchJson.Return(_json);
        _json = null;
    }

    /// <summary>Makes one value the body, as JSON.</summary>
    /// <typeparam name="T">Its type.</typeparam>
    /// <param name="name">The parameter, for the error.</param>
    /// <param name="codec">How it is written.</param>
    /// <param name="value">The value.</param>
    /// <exception cref="ArgumentException">JSON does not hold the value.</exception>
    public void Body<T>(string name, ClientValue<T> codec, T value)
    {
        BeginJson();
        Value(name, codec, value);
        EndJson();
    }

    /// <summary>Writes a value into the JSON body that was begun.</summary>
    /// <typeparam name="T">Its type.</typeparam>
    /// <param name="name">The parameter, for the error.</param>
    /// <param name="codec">How it is written.</param>
    /// <param name="value">The value.</param>
    /// <exception cref="ArgumentException">JSON does not hold the value: a number that is not finite, for example.</exception>
    public void Value<T>(string name, ClientValue<T> codec, T value)
    {
        try
        {
            codec.Write(_json!.Writer, value);
        }
        catch (ArgumentException error)
        {
            throw new ArgumentException($"{Operation.Name} sends '{name}' as JSON, which does not hold this value: {error.Message}", name, error);
        }
    }

    /// <summary>Makes bytes the body as they are.</summary>
    /// <param name="bytes">Not copied: they must not change until the call has completed.</param>
    public void Raw(ReadOnlyMemory<byte> bytes)
    {
        _body = bytes;
        _mediaType = Bytes;
    }

    /// <summary>Makes the rest of a stream the body.</summary>
    /// <param name="stream">Read once, and not disposed.</param>
    public void Upload(Stream stream) => _stream = stream ?? throw new ArgumentNullException(nameof(stream));

    /// <summary>Makes items the body, one JSON value a line, each sent when it is there.</summary>
    /// <typeparam name="T">The item.</typeparam>
    /// <param name="name">The parameter, for the error.</param>
    /// <param name="codec">How an item is written.</param>
    /// <param name="items">Enumerated once.</param>
    public void Items<T>(string name, ClientValue<T> codec, IAsyncEnumerable<T> items) => _items = new SentItems<T>(name, codec, items ?? throw new ArgumentNullException(name));

    /// <summary>The request as it is sent.</summary>
    /// <param name="http">What sends it.</param>
    /// <param name="address">Where the services are.</param>
    /// <param name="accept">The value of <c>Accept</c>.</param>
    /// <param name="hasBody">Whether it has its body.</param>
    internal HttpRequestMessage ToMessage(HttpClient http, Uri address, string accept, bool hasBody = true)
    {
        if (_built is not null)
        {
            _path = _built.ToString();
            Return(_built);
            _built = null;
        }

        // The client's own versions hold for requests that it makes itself, but not for messages.
        var message = new HttpRequestMessage(Operation.Method, new Uri(address, _path))
        {
#if NET
            Version = http.DefaultRequestVersion,
            VersionPolicy = http.DefaultVersionPolicy,
#endif
        };
        message.Content = hasBody ? Content() : null;
        message.Headers.TryAddWithoutValidation("Accept", accept);
        if (_headers is not null)
        {
            foreach (var header in _headers)
            {
                if (!message.Headers.TryAddWithoutValidation(header.Key, header.Value) && hasBody)
                {
                    Describe(message.Content, header);
                }
            }
        }

        return message;
    }

    // HttpClient keeps the headers that describe a body with the body: Content-Language, for example.
    private void Describe(HttpContent? content, KeyValuePair<string, string> header)
    {
        if (content is null)
        {
            throw new ArgumentException($"{Operation.Name} sends '{header.Key}' as a header, and it describes a body, which this request does not have.", header.Key);
        }

        content.Headers.Remove(header.Key);
        content.Headers.TryAddWithoutValidation(header.Key, header.Value);
    }

    private StringBuilder Built => _built ??= Rent().Append(_path);

    // One is kept for each thread; a request owns it from its first value until it is sent.
    private static StringBuilder Rent()
    {
        var one = _free ?? new StringBuilder(LargestKept);
        _free = null;
        return one;
    }

    private static void Return(StringBuilder one)
    {
        if (one.Capacity <= LargestKept)
        {
            _free = one.Clear();
        }
    }

    private void Append(long value)
    {
#if NET
        Built.Append(CultureInfo.InvariantCulture, $"{value}");
#else
        Built.Append(value.ToString(CultureInfo.InvariantCulture));
#endif
    }

    private HttpContent? Content()
    {
        if (_items is not null)
        {
            return new ItemsContent(_items);
        }

        if (_stream is not null)
        {
            return WithType(new UploadContent(_stream), Bytes);
        }

        if (_files is not null)
        {
            return SentFile.Form(_files, _fields);
        }

        if (_form is not null)
        {
            return WithType(new ByteArrayContent(Encoding.ASCII.GetBytes(_form.ToString())), "application/x-www-form-urlencoded");
        }

        return _body is { } body ? WithType(BytesOf(body), _mediaType) : null;
    }

#if NET
    private static ReadOnlyMemoryContent BytesOf(ReadOnlyMemory<byte> body) => new(body);
#else
    private static ByteArrayContent BytesOf(ReadOnlyMemory<byte> body) =>
        System.Runtime.InteropServices.MemoryMarshal.TryGetArray(body, out var array)
            ? new ByteArrayContent(array.Array!, array.Offset, array.Count)
            : new ByteArrayContent(body.ToArray());
#endif

    private static HttpContent WithType(HttpContent content, string mediaType)
    {
        content.Headers.ContentType = new MediaTypeHeaderValue(mediaType);
        return content;
    }
}
