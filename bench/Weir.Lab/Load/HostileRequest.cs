namespace Weir.Lab.Load;

/// <summary>What a hostile sender puts on a connection of its own.</summary>
/// <param name="Bytes">What is sent.</param>
/// <param name="Ending">What the sender does then.</param>
/// <param name="IsDripped">Whether the bytes are sent one by one.</param>
internal sealed record HostileRequest(byte[] Bytes, SenderEnding Ending, bool IsDripped = false);
