namespace Weir.Lab.Load;

/// <summary>What a caller sends, and how it is cut.</summary>
/// <param name="Body">How the contents are sent.</param>
/// <param name="Ending">What the caller does where it is cut.</param>
internal sealed record UploadKind(UploadBody Body, UploadEnding Ending);
