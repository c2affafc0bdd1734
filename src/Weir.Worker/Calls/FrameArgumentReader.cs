using Weir.Protocol;

namespace Weir.Worker.Calls;

/// <summary>The arguments of a CALL for generated binders: first the members of the JSON part, then the raw parts.</summary>
internal sealed class FrameArgumentReader : ArgumentReader
{
    private readonly JsonArgumentReader? _values;
    private readonly IReadOnlyList<Parameter> _parameters;
    private CallParts _parts;
    private bool _inValues;

    /// <param name="parts">Every raw part's index is known to be one of the parameters.</param>
    /// <param name="parameters">The operation's.</param>
    /// <param name="faults">Takes what is wrong.</param>
    public FrameArgumentReader(CallParts parts, IReadOnlyList<Parameter> parameters, FaultList faults)
        : base(faults)
    {
        _parts = parts;
        _parameters = parameters;
        foreach (var part in parts)
        {
            if (part.Kind == PartKind.Json)
            {
                _values = new JsonArgumentReader(part.Bytes, "frame", faults);
                _inValues = true;
            }
        }
    }

    public override ReadOnlySpan<char> Name => _inValues ? _values!.Name : _parameters[_parts.Current.Parameter].Name;

    public override ArgumentForm Form => _inValues ? ArgumentForm.Json : ArgumentForm.Raw;

    public override string Source => "frame";

    protected override ReadOnlySpan<char> Text => default;

    protected override ReadOnlySpan<byte> Json => _inValues ? _values!.Value : default;

    protected override ReadOnlyMemory<byte> Raw => _parts.Current.Bytes;

    public override bool MoveNext()
    {
        if (_inValues && _values!.MoveNext())
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
