using Weir.Runtime;

namespace Weir.Jobs.Payloads;

/// <summary>Reads stored arguments for generated binders: first the members of the JSON object, then the bytes.</summary>
internal sealed class StoredArgumentReader : ArgumentReader
{
    private readonly JsonArgumentReader _values;
    private readonly IReadOnlyList<Parameter> _parameters;
    private readonly IReadOnlyList<KeyValuePair<string, ReadOnlyMemory<byte>>> _raw;
    private bool _inValues = true;
    private int _at = -1;

    /// <summary>Reads arguments.</summary>
    /// <param name="operation">Whose they are.</param>
    /// <param name="stored">In their stored form.</param>
    /// <param name="errors">Takes what does not fit; <c>null</c> for arguments that a call has written: a <c>null</c> among them is what it had.</param>
    /// <exception cref="FormatException">They are not.</exception>
    public StoredArgumentReader(Operation operation, ReadOnlyMemory<byte> stored, BindingErrorList? errors = null)
        : base(errors ?? new BindingErrorList { AcceptsNull = true })
    {
        _parameters = operation.Parameters;
        (var json, _raw) = StoredArguments.Read(stored);
        _values = new JsonArgumentReader(json, Source, Errors);
    }

    public override ReadOnlySpan<char> Name => _inValues ? _values.Name : _raw[_at].Key;

    public override ArgumentForm Form => _inValues ? ArgumentForm.Json : ArgumentForm.Raw;

    public override string Source => "job";

    protected override ReadOnlySpan<char> Text => default;

    protected override ReadOnlySpan<byte> Json => _inValues ? _values.Value : default;

    protected override ReadOnlyMemory<byte> Raw => _raw[_at].Value;

    /// <summary>An argument of bytes that is <c>null</c> is not stored, so that its absence is no binding error.</summary>
    public override void Missing(string name, string expected)
    {
        foreach (var parameter in _parameters)
        {
            if (parameter.Source == ParameterSource.Raw && parameter.Name == name)
            {
                return;
            }
        }

        base.Missing(name, expected);
    }

    public override bool MoveNext()
    {
        _inValues = _inValues && _values.MoveNext();
        return _inValues || ++_at < _raw.Count;
    }
}
