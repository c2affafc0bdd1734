using Weir.Protocol.Frames;

namespace Weir.Protocol.Payloads;

/// <summary>What a log record has beyond its text, for structured logs: the last fields of LOG, which may be missing together.</summary>
/// <remarks>
/// <code>
///  text  message template; empty for none
///  u16   values, each: text name, u8 kind, text value
///  u16   scopes, the outermost first, each: text, u16 values, each as above
///  text  trace id, 32 hexadecimal digits; empty for none
///  text  span id, 16 hexadecimal digits; empty for none
/// </code>
/// </remarks>
internal sealed record LogDetails
{
    /// <summary>More values of a record or of a scope are left out.</summary>
    public const int MostValues = 64;

    /// <summary>Further scopes, the innermost, are left out.</summary>
    public const int MostScopes = 16;

    private const int MostName = 1 << 10;
    private const int MostId = 32;
    private const int LeastValueSize = 9;
    private const int LeastScopeSize = 6;

    /// <summary>The message before the values were put into it.</summary>
    public string Template { get; init; } = "";

    /// <summary>The values of the message, in their order.</summary>
    public IReadOnlyList<LogValue> Values { get; init; } = [];

    /// <summary>The scopes, the outermost first.</summary>
    public IReadOnlyList<LogScope> Scopes { get; init; } = [];

    /// <summary>The trace in which it was made; empty for none.</summary>
    public string TraceId { get; init; } = "";

    /// <summary>The span in which it was made; empty for none.</summary>
    public string SpanId { get; init; } = "";

    /// <summary>The UTF-16 units of all texts.</summary>
    public long Length => Template.Length + TraceId.Length + SpanId.Length + LengthOf(Values) + Scopes.Sum(static scope => scope.Text.Length + LengthOf(scope.Values));

    /// <summary>Appends the fields.</summary>
    public void Write(in FieldWriter fields)
    {
        fields.Text(Template, LogPayload.MostText);
        Write(fields, Values);
        fields.U16((ushort)Math.Min(Scopes.Count, MostScopes));
        for (var i = 0; i < Math.Min(Scopes.Count, MostScopes); i++)
        {
            fields.Text(Scopes[i].Text, LogPayload.MostText);
            Write(fields, Scopes[i].Values);
        }

        fields.Text(TraceId, MostId);
        fields.Text(SpanId, MostId);
    }

    /// <summary>Reads the fields.</summary>
    /// <exception cref="FrameException">A field does not fit.</exception>
    public static LogDetails Read(ref FieldReader fields)
    {
        var template = fields.Text();
        var values = ReadValues(ref fields);
        var scopes = new LogScope[fields.Count(fields.U16(), LeastScopeSize)];
        for (var i = 0; i < scopes.Length; i++)
        {
            scopes[i] = new LogScope(fields.Text(), ReadValues(ref fields));
        }

        return new LogDetails { Template = template, Values = values, Scopes = scopes, TraceId = fields.Text(), SpanId = fields.Text() };
    }

    private static long LengthOf(IReadOnlyList<LogValue> values) => values.Sum(static value => (long)value.Name.Length + value.Text.Length);

    private static void Write(in FieldWriter fields, IReadOnlyList<LogValue> values)
    {
        fields.U16((ushort)Math.Min(values.Count, MostValues));
        for (var i = 0; i < Math.Min(values.Count, MostValues); i++)
        {
            fields.Text(values[i].Name, MostName);
            fields.U8((byte)values[i].Kind);
            fields.Text(values[i].Text, LogPayload.MostText);
        }
    }

    private static LogValue[] ReadValues(ref FieldReader fields)
    {
        var values = new LogValue[fields.Count(fields.U16(), LeastValueSize)];
        for (var i = 0; i < values.Length; i++)
        {
            var name = fields.Text();
            var kind = (LogValueKind)fields.U8();
            values[i] = new LogValue(name, kind <= LogValueKind.Boolean ? kind : throw fields.Malformed($"value kind {(byte)kind} is not assigned"), fields.Text());
        }

        return values;
    }
}
