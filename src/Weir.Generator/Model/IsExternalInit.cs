namespace System.Runtime.CompilerServices;

/// <summary>The compiler needs it for records; netstandard2.0 does not have it.</summary>
internal static class IsExternalInit;
