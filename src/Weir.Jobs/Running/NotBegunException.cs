namespace Weir.Jobs.Running;

/// <summary>A job was stopped before its operation was called.</summary>
internal sealed class NotBegunException() : Exception("The job was stopped before it began.");
