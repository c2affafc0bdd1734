using System.Globalization;

namespace Weir.Runtime;

/// <summary>Makes the invariant culture the current one until it is disposed of: for code of a type that asks for no culture.</summary>
internal readonly ref struct InvariantCulture
{
    private readonly CultureInfo? _before;

    public InvariantCulture()
    {
        var current = CultureInfo.CurrentCulture;
        if (!ReferenceEquals(current, CultureInfo.InvariantCulture))
        {
            _before = current;
            CultureInfo.CurrentCulture = CultureInfo.InvariantCulture;
        }
    }

    public void Dispose()
    {
        if (_before is not null)
        {
            CultureInfo.CurrentCulture = _before;
        }
    }
}
