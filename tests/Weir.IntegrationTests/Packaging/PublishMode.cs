namespace Weir.IntegrationTests.Packaging;

/// <summary>How an application can be published.</summary>
public enum PublishMode
{
    FrameworkDependent,
    FrameworkDependentSingleFile,
    SelfContained,
    SingleFile,
    Trimmed,
    Native,
}
