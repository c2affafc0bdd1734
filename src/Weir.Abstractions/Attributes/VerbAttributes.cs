namespace Weir;

/// <summary>
/// The operation reads only and is safe to repeat: it accepts GET and HEAD besides POST. Without a verb attribute an
/// operation accepts POST only, so that no <c>&lt;img&gt;</c> tag can change data.
/// </summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class GetAttribute : Attribute;

/// <summary>Narrows the operation to PUT (and to the other verbs named beside it).</summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class PutAttribute : Attribute;

/// <summary>Narrows the operation to DELETE (and to the other verbs named beside it).</summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class DeleteAttribute : Attribute;

/// <summary>Narrows the operation to PATCH (and to the other verbs named beside it).</summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class PatchAttribute : Attribute;
