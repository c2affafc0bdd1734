namespace Weir;

/// <summary>
/// The operation reads only and is safe to repeat: it accepts GET and HEAD, and the other verbs named beside it. Without a verb
/// attribute an operation accepts POST only, so that no <c>&lt;img&gt;</c> tag can change data. A parameter that needs the
/// request's body is a build error (WEIR1001). On a class or a contract, a verb attribute is the default of the operations that name no verb.
/// </summary>
[AttributeUsage(AttributeTargets.Method | AttributeTargets.Class | AttributeTargets.Interface)]
public sealed class GetAttribute : Attribute;

/// <summary>The operation accepts POST, and the other verbs named beside it. POST alone is the default of an operation without a verb attribute.</summary>
[AttributeUsage(AttributeTargets.Method | AttributeTargets.Class | AttributeTargets.Interface)]
public sealed class PostAttribute : Attribute;

/// <summary>The operation accepts PUT, and the other verbs named beside it.</summary>
[AttributeUsage(AttributeTargets.Method | AttributeTargets.Class | AttributeTargets.Interface)]
public sealed class PutAttribute : Attribute;

/// <summary>The operation accepts DELETE, and the other verbs named beside it.</summary>
[AttributeUsage(AttributeTargets.Method | AttributeTargets.Class | AttributeTargets.Interface)]
public sealed class DeleteAttribute : Attribute;

/// <summary>The operation accepts PATCH, and the other verbs named beside it.</summary>
[AttributeUsage(AttributeTargets.Method | AttributeTargets.Class | AttributeTargets.Interface)]
public sealed class PatchAttribute : Attribute;
