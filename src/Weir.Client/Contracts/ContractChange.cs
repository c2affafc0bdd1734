namespace Weir.Client.Contracts;

/// <summary>A difference between two contracts of a service that breaks callers which were built with the first.</summary>
/// <param name="operation">The operation; <c>null</c> for the service as a whole.</param>
/// <param name="text">What has changed, for people.</param>
internal sealed class ContractChange(string? operation, string text)
{
    /// <summary>The name of the operation; <c>null</c> for the service as a whole.</summary>
    public string? Operation { get; } = operation;

    /// <summary>What has changed, for people.</summary>
    public string Text { get; } = text;
}
