//! Skinned meshes.

mod agree;
mod bounds;
mod choice;
mod dual;
mod dual_quaternion;
mod exact;
mod fill;
mod info;
mod joint_bounds;
mod plan;
mod source;
mod workspace;

pub use bounds::Bounds;
pub use choice::{Choice, PlanOptions};
pub use info::{Form, Kernel, PlanInfo};
pub use plan::SkinPlan;
pub use source::{JointSet, Joints, SkinSource};
pub use workspace::Workspace;
