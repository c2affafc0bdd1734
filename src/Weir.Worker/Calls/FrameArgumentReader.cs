using Weir.Protocol.Payloads;
using Weir.Runtime;

namespace Weir.Worker.Calls;

/// <summary>Reads the arguments of one CALL at a time for generated binders: first the members of the JSON part, then the raw parts.</summary>
internal sealed class FrameArgumentReader : ArgumentReader
{
    private readonly JsonArgumentReader _values;
    private IReadOnlyList<Parameter> _parameters = [];
    private CallParts _parts;
    private bool _inValues;

    public FrameArgumentReader()
        : base(new BindingErrorList { AcceptsNull = true })
    {
        _values = new JsonArgumentReader(default, "frame", Errors);
    }

    public override ReadOnlySpan<char> Name => _inValues ? _values.Name : _parameters[_parts.Current.Parameter].Name;

    public override ArgumentForm Form => _inValues ? ArgumentForm.Json : ArgumentForm.Raw;

    public override string Source => "frame";

    protected override ReadOnlySpan<char> Text => default;

    protected override ReadOnlySpan<byte> Json => _inValues ? _values.Value : default;

    protected override ReadOnlyMemory<byte> Raw => _parts.Current.Bytes;

    /// <summary>Restarts with other arguments, and without binding errors.</summary>
    /// <param name="parts">The parts; the caller has checked that the index of every raw part is one of the parameters.</param>
    /// <param name="parameters">The operation's.</param>
    public FrameArgumentReader Read(CallParts parts, IReadOnlyList<Parameter> parameters)
    {
        _parts = parts;
        _parameters = parameters;
        _inValues = false;
        Errors.Source = "frame";
        foreach (var part in parts)
        {
            if (part.Kind == PartKind.Json)
            {
                _values.Reset(part.Bytes);
                _inValues = true;
            }
        }

        return this;
    }

    /// <summary>Releases what was read, and clears the binding errors.</summary>
    public void Clear()
    {
        _parts = default;
        _values.Reset(default);
        Errors.Clear();
    }

    /// <summary>An argument of bytes that is <c>null</c> has no part, so that its absence is no binding error.</summary>
    public override void Missing(string name, string expected)
    {
        foreach (var one in _parameters)
        {
            if (one.Source == ParameterSource.Raw && one.Name == name)
            {
                return;
            }
        }

        base.Missing(name, expected);
    }

    public override bool MoveNext()
    {
        if (_inValues && _values.MoveNext())
        {
            return true;
        }

        _inValues = false;
        while (_parts.MoveNext())
        {
            if (_parts.Current.Kind == PartKind.Raw)
            {
                return true;
            }
        }

        return false;
    }
}
