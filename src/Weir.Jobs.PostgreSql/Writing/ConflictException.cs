namespace Weir.Jobs.PostgreSql.Writing;

/// <summary>Another process was faster: the commit begins again.</summary>
internal sealed class ConflictException(string message) : Exception(message);
