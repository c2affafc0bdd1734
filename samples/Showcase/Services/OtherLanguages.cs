using Weir;

namespace Showcase;

/// <summary>Served by <c>Workers/hash.js</c>, in a pool of Node processes.</summary>
[Service, Isolated("node")]
public interface INode
{
    /// <summary>The SHA-512 of the request's body, in base64.</summary>
    ValueTask<string> Hash(ReadOnlyMemory<byte> data, CancellationToken ct = default);
}

/// <summary>Served by <c>Workers/hash.py</c>, in a pool of Python processes.</summary>
[Service, Isolated("python")]
public interface IPython
{
    /// <summary>The SHA-512 of the request's body, in base64.</summary>
    ValueTask<string> Hash(ReadOnlyMemory<byte> data, CancellationToken ct = default);
}
