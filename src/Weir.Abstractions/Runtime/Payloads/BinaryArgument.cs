using System.ComponentModel;

namespace Weir.Runtime;

/// <summary>Bytes that are sent beside the JSON of a call's arguments.</summary>
/// <param name="Parameter">The parameter's position in <see cref="Operation.Parameters"/>.</param>
/// <param name="Bytes">Referred to, not copied.</param>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly record struct BinaryArgument(int Parameter, ReadOnlyMemory<byte> Bytes);
