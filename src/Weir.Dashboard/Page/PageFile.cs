namespace Weir.Dashboard.Page;

/// <summary>One file of the page, as it is sent.</summary>
/// <param name="MediaType">Its <c>Content-Type</c>.</param>
/// <param name="Bytes">Its content.</param>
internal sealed record PageFile(string MediaType, ReadOnlyMemory<byte> Bytes);
