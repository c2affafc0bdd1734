using System.Globalization;
using System.IO.Pipelines;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.Primitives;
using Weir.AspNetCore.Http;
using Weir.Runtime;

namespace Weir.AspNetCore.Binding;

/// <summary>
/// The arguments of one HTTP request, one after the other: headers that parameters name, those of the path, those of the query, then those
/// of the body, whatever form it has. Reused from request to request; not for concurrent use.
/// </summary>
internal sealed class HttpArgumentReader : ArgumentReader
{
    // The same number of binding errors is kept; a form of millions of broken pairs must not become as many strings.
    private const int MostNamed = 100;

    private readonly UrlEncodedPairs _pairs = new();
    private readonly JsonArgumentReader _json;

    private string[] _routeNames = [];
    private RouteValueDictionary? _routeValues;
    private string? _routeValue;
    private int _routeIndex;
    private HeaderParameter[] _headers = [];
    private IHeaderDictionary? _sent;
    private StringValues _headerValues;
    private int _headerIndex;
    private int _headerValueIndex;
    private Part _afterHeaders;
    private HttpRequest? _request;
    private IFormCollection? _fields;
    private IEnumerator<KeyValuePair<string, StringValues>>? _field;
    private int _fieldValueIndex;
    private Part _part;
    private Part _next;
    private ReadOnlyMemory<char> _form;
    private ReadOnlyMemory<byte> _body;
    private string _wholeName = "";
    private bool _wholeCameByQuery;
    private bool _hasMembers;
    private bool _bodyIsBroken;
    private List<string>? _malformed;

    /// <param name="serializer">For values that generated code cannot read.</param>
    internal HttpArgumentReader(JsonValueSerializer? serializer = null)
        : base(new BindingErrorList { Serializer = serializer }) =>
        _json = new JsonArgumentReader(default, "body", Errors);

    private enum Part
    {
        Header,
        Route,
        Query,
        Form,
        Fields,
        Json,
        WholeJson,
        Raw,
        End,
    }

    public override ReadOnlySpan<char> Name => _part switch
    {
        Part.Json => _json.Name,
        Part.WholeJson or Part.Raw => _wholeName,
        Part.Route => _routeNames[_routeIndex],
        Part.Fields => _field!.Current.Key,
        Part.Header => default, // No parameter is read from a header without saying so.
        _ => _pairs.Name,
    };

    public override ArgumentForm Form => _part switch
    {
        Part.Json or Part.WholeJson => ArgumentForm.Json,
        Part.Raw => ArgumentForm.Raw,
        _ => ArgumentForm.Text,
    };

    public override string Source => _part switch
    {
        Part.Header => "header",
        Part.Route => "route",
        Part.Query => "query",
        Part.Form or Part.Fields => "form",
        _ => "body",
    };

    protected override ReadOnlySpan<char> Text => _part switch
    {
        Part.Route => _routeValue,
        Part.Header => _headerValues[_headerValueIndex].AsSpan().Trim(" \t"), // HTTP/2 does not remove what HTTP/1.1 does.
        Part.Fields => _field!.Current.Value[_fieldValueIndex],
        _ => _pairs.Value,
    };

    protected override ReadOnlySpan<byte> Json => _part == Part.Json ? _json.Value : _body.Span;

    protected override ReadOnlyMemory<byte> Raw => _body;

    /// <summary>Starts with a query; a body may be added before the first advance.</summary>
    /// <param name="query">With its question mark, or empty.</param>
    /// <param name="refuseUnknown">Whether an argument that no parameter asks for is a binding error.</param>
    internal void Start(string? query, bool refuseUnknown)
    {
        Errors.Clear();
        Errors.RefuseUnknown = refuseUnknown;
        _pairs.Reset(string.IsNullOrEmpty(query) ? default : query.AsMemory(1));
        _part = Part.Query;
        _next = Part.End;
        _wholeCameByQuery = false;
        _hasMembers = false;
        _bodyIsBroken = false;
        _malformed = null;
    }

    /// <summary>Adds arguments of the path; they come first.</summary>
    /// <param name="names">Their names; one without a value is absent.</param>
    /// <param name="values">What routing found, decoded. Must stay unchanged while it is read.</param>
    internal void AddRoute(string[] names, RouteValueDictionary values)
    {
        _routeNames = names;
        _routeValues = values;
        _routeIndex = -1;
        _part = Part.Route;
    }

    /// <summary>Adds headers; they come first. After <see cref="AddRoute"/>.</summary>
    /// <param name="headers">Which.</param>
    /// <param name="sent">What the client sent. Must stay unchanged while it is read.</param>
    internal void AddHeaders(HeaderParameter[] headers, IHeaderDictionary sent)
    {
        _headers = headers;
        _sent = sent;
        _headerIndex = -1;
        _headerValues = default;
        _afterHeaders = _part;
        _part = Part.Header;
    }

    /// <summary>Adds the pairs of a form.</summary>
    /// <param name="pairs">Must stay unchanged while it is read.</param>
    internal void AddForm(ReadOnlyMemory<char> pairs)
    {
        _form = pairs;
        _next = Part.Form;
    }

    /// <summary>Adds the body unread, for a parameter that reads it while the operation runs.</summary>
    /// <param name="request">Must stay the current one until the call has completed.</param>
    internal void AttachBody(HttpRequest request) => _request = request;

    /// <summary>Adds the values and files of a multipart form.</summary>
    /// <param name="form">Must stay unchanged while it is read; its files until the call has completed.</param>
    internal void AttachForm(IFormCollection form)
    {
        _fields = form;
        _next = Part.Fields;
    }

    /// <summary>Adds the members of a JSON object.</summary>
    /// <param name="document">In UTF-8. Must stay unchanged while it is read.</param>
    internal void AddJson(ReadOnlyMemory<byte> document)
    {
        _json.Reset(document);
        _next = Part.Json;
        _hasMembers = true;
    }

    /// <summary>Adds a JSON document that is one parameter as a whole.</summary>
    /// <param name="parameter">Its name.</param>
    /// <param name="document">In UTF-8, without white space around it. Must stay unchanged while it is read.</param>
    internal void AddWholeJson(string parameter, ReadOnlyMemory<byte> document)
    {
        _wholeName = parameter;
        _body = document;
        _next = Part.WholeJson;
    }

    /// <summary>Adds bytes that are one parameter as they are. An empty body is ignored if the query has the parameter.</summary>
    /// <param name="parameter">Its name.</param>
    /// <param name="body">Must stay unchanged until the call has completed.</param>
    internal void AddRaw(string parameter, ReadOnlyMemory<byte> body)
    {
        _wholeName = parameter;
        _body = body;
        _next = Part.Raw;
    }

    /// <summary>Notes that the body cannot be read at all.</summary>
    /// <param name="source">What it claims to be: <c>form</c> or <c>body</c>.</param>
    /// <param name="expected">What was expected.</param>
    internal void AddBrokenBody(string source, string expected)
    {
        Errors.Source = source;
        Errors.Add(BindingErrorReason.Malformed, expected);
        _bodyIsBroken = true;
    }

    /// <summary>Clears the references to the request.</summary>
    internal void Clear()
    {
        _pairs.Clear();
        _json.Reset(default);
        _routeValues = null;
        _routeValue = null;
        _sent = null;
        _request = null;
        _fields = null;
        _field = null;
        _headerValues = default;
        _form = default;
        _body = default;
    }

    public override bool Is(string name, string wireName, ParameterSource source) => source switch
    {
        ParameterSource.Header => _part == Part.Header && _headers[_headerIndex].Name == wireName,
        ParameterSource.Query => _part == Part.Query && Is(wireName),
        ParameterSource.Route => _part == Part.Route && Is(wireName),
        ParameterSource.Form => _part is Part.Form or Part.Fields && Is(wireName),
        _ => _part is Part.WholeJson or Part.Raw && Is(wireName),
    };

    public override bool MoveNext() => _part switch
    {
        Part.Header => MoveToHeader() || MoveNext(),
        Part.Route => MoveToRouteValue() || MoveNext(),
        Part.Query => MoveToPair() || MoveToBody(),
        Part.Form => MoveToPair() || End(),
        Part.Fields => MoveToField() || End(),
        Part.Json => MoveToMember() || End(),
        _ => End(), // A body that is one argument as a whole has been given out.
    };

    public override T? Attached<T>(string name)
        where T : class =>
        typeof(T) == typeof(Stream) ? (T?)(object?)_request?.Body
        : typeof(T) == typeof(PipeReader) ? (T?)(object?)_request?.BodyReader
        : typeof(T) == typeof(IFormCollection) ? (T?)_fields
        : typeof(T) == typeof(IFormFileCollection) ? (T?)_fields?.Files
        : typeof(T) == typeof(IReadOnlyList<IFormFile>) ? (T?)(object?)_fields?.Files.GetFiles(name)
        : (T?)File(name);

    public override void Missing(string name, string expected)
    {
        // What could not be read is listed already; a second error, that it is missing, would add nothing.
        if (!_bodyIsBroken && _malformed?.Contains(name, StringComparer.OrdinalIgnoreCase) != true)
        {
            base.Missing(name, expected);
        }
    }

    public override void Missing(string name, string expected, ParameterSource source)
    {
        if (!_bodyIsBroken && _malformed?.Contains(name, StringComparer.OrdinalIgnoreCase) != true)
        {
            Errors.Source = source switch
            {
                ParameterSource.Query => "query",
                ParameterSource.Route => "route",
                ParameterSource.Header => "header",
                ParameterSource.Form or ParameterSource.File => "form",
                _ => "body",
            };
            Errors.Add(name, BindingErrorReason.Missing, expected);
        }
    }

    public override void MissingList(string name, string expected)
    {
        if (_hasMembers)
        {
            Missing(name, expected);
        }
    }

    private bool MoveToHeader()
    {
        while (true)
        {
            if (++_headerValueIndex < _headerValues.Count)
            {
                return true;
            }

            if (++_headerIndex == _headers.Length)
            {
                _headerValues = default;
                _part = _afterHeaders;
                return false;
            }

            var header = _headers[_headerIndex];
            _headerValues = header.IsList ? Elements(header.Name) : _sent![header.Name];
            _headerValueIndex = -1;
        }
    }

    private StringValues Elements(string name)
    {
        if (!HeaderList.TryRead(_sent![name], out var elements))
        {
            AddMalformed(name, "a list whose quoted strings end");
        }

        return elements;
    }

    // Others of the name are not dropped in silence.
    private IFormFile? File(string name)
    {
        if (_fields?.Files.GetFiles(name) is { Count: > 1 })
        {
            Errors.Source = "form";
            Errors.Add(name, BindingErrorReason.Duplicate, "one file");
        }

        return _fields?.Files.GetFile(name);
    }

    private bool MoveToRouteValue()
    {
        while (++_routeIndex < _routeNames.Length)
        {
            if (_routeValues!.TryGetValue(_routeNames[_routeIndex], out var value) && value is not null)
            {
                // A string, unless a middleware of the application has replaced it.
                _routeValue = value as string ?? Convert.ToString(value, CultureInfo.InvariantCulture);
                return true;
            }
        }

        _part = Part.Query;
        return false;
    }

    private bool MoveToPair()
    {
        while (_pairs.MoveNext())
        {
            if (!_pairs.IsMalformed)
            {
                _wholeCameByQuery |= _next == Part.Raw && Is(_wholeName);
                return true;
            }

            AddMalformed();
        }

        return false;
    }

    private void AddMalformed()
    {
        const string Expected = "percent-encoded UTF-8: %XX for each byte";
        Errors.Source = Source;
        if (Errors.Count >= MostNamed)
        {
            Errors.Add(BindingErrorReason.Malformed, Expected);
            return;
        }

        AddMalformed(_pairs.Name.ToString(), Expected);
    }

    private void AddMalformed(string name, string expected)
    {
        Errors.Source = Source;
        (_malformed ??= []).Add(name);
        Errors.Add(name, BindingErrorReason.Malformed, expected);
    }

    private bool MoveToBody()
    {
        _part = _next;
        switch (_part)
        {
            case Part.Form:
                _pairs.Reset(_form);
                return MoveNext();
            case Part.Fields:
                _field = _fields!.GetEnumerator();
                _fieldValueIndex = 0;
                return MoveToFirstField() || End();
            case Part.Json:
                return MoveNext();
            case Part.Raw when _body.IsEmpty && _wholeCameByQuery:
                return End();
            default:
                return _part != Part.End;
        }
    }

    private bool MoveToField() => ++_fieldValueIndex < _field!.Current.Value.Count || MoveToFirstField();

    // The first value of the next field that has one.
    private bool MoveToFirstField()
    {
        _fieldValueIndex = 0;
        while (_field!.MoveNext())
        {
            if (_field.Current.Value.Count > 0)
            {
                return true;
            }
        }

        return false;
    }

    private bool MoveToMember()
    {
        var before = Errors.Count;
        var moved = _json.MoveNext();
        _bodyIsBroken |= Errors.Count > before;
        return moved;
    }

    private bool End()
    {
        _part = Part.End;
        return false;
    }
}
